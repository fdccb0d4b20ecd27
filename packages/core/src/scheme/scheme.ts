// The contract of a scheme.
import type { OptionTable } from "../options/option-kinds.ts";
import type { Syntax, Url } from "../syntax/index.ts";
import type { AccessContext } from "./context.ts";
import type { Operations } from "./operation.ts";
import type { Plan, PlanOptions } from "./plan.ts";
import type { Resource } from "./resource.ts";

/**
 * A scheme: a grammar, a plan, and an access method that performs the plan. RFC 1738 §4: "a definition of an algorithm for
 * accessing of resources within that scheme and the syntax for representing such a scheme".
 *
 * `U` is the type of its URLs, `R` of its resources, `O` of its request options.
 */
export interface Scheme<U extends Url = Url, R extends Resource = Resource, O extends object = object> {
  /** The name in lower case. */
  readonly name: string;
  readonly syntax: Syntax<U>;
  /**
   * Which side sends first. `"server"` also stands for framed requests, as in http: a server of another protocol does not take
   * them for commands. With `"client"`, the policy must allow each port from 1024 on. Default `"client"`.
   */
  readonly speaksFirst?: "server" | "client" | undefined;
  /** Makes the plan of `dereference`. Throws `refused-characters` for bytes that must not be sent. */
  plan(url: U, options: PlanOptions & O): Plan<U>;
  /** Performs the plan. */
  access(plan: Plan<U>, context: AccessContext, options: PlanOptions & O): Promise<R>;
  /** The operations besides `dereference`. A missing one fails with `unsupported`. */
  readonly operations?: Operations<U, O> | undefined;
  /**
   * Other protocols that the scheme uses, with their default ports, as `{ nntps: 563 }` for news. It may connect to such a port, and
   * to the ports that the policy allows for the protocol, when it names the protocol in the endpoint.
   */
  readonly protocols?: Readonly<Record<string, number>> | undefined;
  /**
   * The scheme's request options. The client rejects a wrong name or value with a `TypeError`. Without a table, it accepts any
   * option.
   */
  readonly requestOptions?: OptionTable<O> | undefined;
  /** Schemes to which its servers may redirect, as http to https. The policy may allow others. Default: none. */
  readonly redirectSchemes?: readonly string[] | undefined;
  /** The common options that the scheme implements. */
  readonly supports?: readonly ("range" | "resume")[] | undefined;
}
