import { AccessError } from "../errors/access-error.ts";
import type {
  AccessContext,
  Operation,
  OperationName,
  ResultInit,
  OperationResult,
  Plan,
  PlanOptions,
  Resource,
  Scheme,
} from "../scheme/scheme.ts";
import type { Url } from "../syntax/index.ts";

/** What a call wants of a URL: to dereference it, or one of the other operations of its scheme. */
export interface Work<G = unknown> {
  /** As errors call it. */
  readonly name: string;
  /** The method of the client. */
  readonly method: string;
  plan(scheme: Scheme, url: Url, options: PlanOptions): Plan;
  perform(
    scheme: Scheme,
    plan: Plan,
    context: AccessContext,
    options: PlanOptions,
  ): Promise<ResultInit<G & OperationResult>>;
}

export const dereferencing: Work<Resource> = {
  name: "dereference",
  method: "dereference",
  plan(scheme, url, options) {
    if (options.range && !scheme.supports?.includes("range")) {
      throw new AccessError("unsupported", `the scheme ${scheme.name} cannot give a part of a content`);
    }
    return scheme.plan(url, options);
  },
  perform: (scheme, plan, context, options) => scheme.access(plan, context, options),
};

/** The names of operations in messages. */
const NAMES: Readonly<Record<OperationName, string>> = {
  stat: "stat",
  put: "put",
  delete: "delete",
  mkdir: "make directory",
  rename: "rename",
};

/** An operation with its arguments. Its plan throws `unsupported` where the scheme does not have it. */
export function operating<G extends OperationResult>(operation: OperationName, taken: object): Work<G> {
  type Any = Operation<Url, object, object, G>;
  const of = (scheme: Scheme): Any => {
    const found = scheme.operations?.[operation] as Any | undefined;
    if (found) return found;
    throw new AccessError("unsupported", `the scheme ${scheme.name} has no operation ${operation}`);
  };
  return {
    name: NAMES[operation],
    method: operation,
    plan: (scheme, url, options) => of(scheme).plan(url, { ...options, ...taken }),
    perform: (scheme, plan, context, options) =>
      // What the context gives on a further hop is what this very operation gives.
      of(scheme).perform(plan, context as unknown as AccessContext<G>, { ...options, ...taken }),
  };
}
