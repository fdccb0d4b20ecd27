// The contract of a scheme.
import type { OptionTable } from "../options/option-kinds.ts";
import type { ClientLimits } from "../policy/limits.ts";
import type { Syntax, Url } from "../syntax/index.ts";
import type { AccessContext } from "./context.ts";
import type { OptionalSchemeOperations } from "./operation.ts";
import type { Plan, PlanOptions } from "./plan.ts";
import type { Resource } from "./resource.ts";

/**
 * A scheme: a grammar, a plan, and an access method that performs the plan. RFC 1738 §4: "a definition of an
 * algorithm for accessing of resources within that scheme and the syntax for representing such a scheme".
 *
 * `U` is the type of its URLs, `R` of its resources, `O` of its request options.
 */
export interface Scheme<U extends Url = Url, R extends Resource = Resource, O extends object = object> {
  /** The name of the scheme in lower case. */
  readonly name: string;
  readonly syntax: Syntax<U>;
  /**
   * The ports that a URL may name without a permission of the policy. `"default"`: only the default port of the scheme.
   * `"unprivileged"`: also the ports from 1024 on that the Fetch standard does not block, for protocols whose servers
   * send a greeting first, or whose requests no server of another protocol reads as commands. Default `"default"`. RFC
   * 1738 §6.
   */
  readonly portRange?: "default" | "unprivileged" | undefined;
  /**
   * Creates the plan of `dereference`. Throws an error with the code `refused-characters` for bytes that must not be
   * sent. If the number of plan steps grows with the URL, the method `plan` checks `limits` before it creates the
   * steps.
   */
  plan(url: U, options: PlanOptions & O, limits: ClientLimits): Plan<U>;
  /** Executes the plan. */
  access(plan: Plan<U>, context: AccessContext, options: PlanOptions & O): Promise<R>;
  /** The operations besides `dereference`. An operation that the scheme lacks fails with `unsupported`. */
  readonly operations?: OptionalSchemeOperations<U, O> | undefined;
  /**
   * Other protocols that the scheme uses, with their default ports, as in `{ nntps: 563 }` for news. A connection
   * target that names one of the additional protocols may use its default port. The policy may allow further ports for
   * the additional protocols.
   */
  readonly additionalProtocolPorts?: Readonly<Record<string, number>> | undefined;
  /**
   * The scheme's request options. The client rejects an unknown option name or an invalid value with a `TypeError`.
   * Default: the scheme accepts any request option.
   */
  readonly requestOptions?: OptionTable<O> | undefined;
  /**
   * The schemes to which servers of this scheme may redirect, as http to https. The policy may allow redirects to other
   * schemes. By default, servers may redirect only to the same scheme.
   */
  readonly redirectSchemes?: readonly string[] | undefined;
  /**
   * False when no redirect may lead to a URL of this scheme, as for the files of the machine. No policy can allow a
   * redirect to a scheme that does not accept redirects. Default true.
   */
  readonly acceptsRedirects?: boolean | undefined;
  /**
   * The request options that still apply after a redirect to another origin. After a redirect to another origin, the
   * client drops the scheme's other request options, because they may contain secrets. Default: none.
   */
  readonly crossOriginOptions?: readonly string[] | undefined;
  /**
   * The scheme's own limits with their defaults, as in `{ maxLineBytes: 4096 }`. Limits whose names end in `Ms` are
   * times in milliseconds. The client checks the values that a program sets for the scheme's limits, and passes all
   * limits in `context.limits`. Default: none.
   */
  readonly limits?: Readonly<Record<string, number>> | undefined;
  /**
   * The options among `range`, `resume`, `method` and `cache` that this scheme implements. A scheme with `"method"` has
   * the request options `method`, `body`, `headers`, `redirect` and `throwHttpErrors` of http, and `fetch` passes
   * requests of every method to `access`. With `"cache"`, `access` and the operation `stat` send nothing to a server
   * for a request with `only-if-cached`.
   */
  readonly supportedOptions?: readonly ("range" | "resume" | "method" | "cache")[] | undefined;
}
