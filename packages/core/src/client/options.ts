import type { Ending } from "../guard/ending.ts";
import type { Resolver } from "../guard/gate.ts";
import type { Limits } from "../guard/limits.ts";
import type { Policy } from "../guard/policy.ts";
import type { PlanOptions, Progress, Scheme } from "../scheme.ts";
import type { Mode } from "../syntax/index.ts";
import type { AskCredentials } from "./credentials.ts";
import type { Gateways } from "./gateway.ts";
import type { Transcript } from "./transcript.ts";

export interface ClientOptions<S extends Scheme = Scheme> {
  readonly schemes: readonly S[];
  /** What may be reached. Default `publicInternet()`. */
  readonly policy?: Policy | undefined;
  /** Asked when a server wants a password that the URL does not have. Default: nobody. */
  readonly credentials?: AskCredentials | undefined;
  /** Default: the system's resolver. */
  readonly resolver?: Resolver | undefined;
  /**
   * Gateways for schemes, registered or not, as in `{ wais: "http://gw.example/?url={url}" }`. They are reached under the
   * policy of the call, and are told neither logins nor options. Default: none. RFC 1738 §4.
   */
  readonly gateways?: Gateways | undefined;
  /** Changes to the default limits. */
  readonly limits?: Partial<Limits> | undefined;
  /** The user's e-mail address, sent as the password of anonymous FTP (RFC 1738 §3.2.1). Default: none, `anonymous@` is sent. */
  readonly email?: string | undefined;
  /** How `parse` reads. Default `"tolerant"`. */
  readonly mode?: Mode | undefined;
  /** Told everything that happens, in order, secrets masked. */
  readonly transcript?: Transcript | undefined;
}

/** Options of one call; those of the scheme are added to them. */
export interface DereferenceOptions extends PlanOptions {
  /** Ends the access at any point, its body included: an `AbortSignal`, or whatever else tells of an end as one does. */
  readonly signal?: Ending | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Changes to the client's limits. */
  readonly limits?: Partial<Limits> | undefined;
  /** Instead of the client's. */
  readonly policy?: Policy | undefined;
  readonly credentials?: AskCredentials | undefined;
  readonly transcript?: Transcript | undefined;
}
