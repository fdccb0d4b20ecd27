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
 * `U` is the type of its URLs, `R` of what it gives, `O` of its options for one call.
 */
export interface Scheme<U extends Url = Url, R extends Resource = Resource, O extends object = object> {
  /** The name in lower case. */
  readonly name: string;
  readonly syntax: Syntax<U>;
  /**
   * Who speaks first, or whether requests are framed: `"server"` for protocols where a stranger's server would not take
   * our first bytes for commands. Default `"client"`: ports from 1024 on have to be allowed one by one.
   */
  readonly speaksFirst?: "server" | "client" | undefined;
  /** Throws `refused-characters` for what must not be sent. */
  plan(url: U, options: PlanOptions & O): Plan<U>;
  access(plan: Plan<U>, context: AccessContext, options: PlanOptions & O): Promise<R>;
  /** What this scheme can do to a URL besides dereferencing it. What is not there fails with `unsupported`. */
  readonly operations?: Operations<U, O> | undefined;
  /**
   * Other protocols by which it reaches servers, and their default ports, as `{ nntps: 563 }` for news: to such a port it may go,
   * and to those that the policy allows for that name, when it says that this is what it speaks there.
   */
  readonly protocols?: Readonly<Record<string, number>> | undefined;
  /**
   * The options that a call may have for this scheme, so that the client refuses a wrong name or value with a `TypeError`. Without
   * a table, any option is passed on.
   */
  readonly requestOptions?: OptionTable<O> | undefined;
  /** Schemes to which its servers may redirect, as http to https. The policy may allow others. Default: none. */
  readonly redirectSchemes?: readonly string[] | undefined;
  /** The common options that it acts on. */
  readonly supports?: readonly ("range" | "resume")[] | undefined;
}
