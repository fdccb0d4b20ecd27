import { AccessError } from "../errors/access-error.ts";
import { limitError, type Limits } from "../policy/limits.ts";
import type { AccessContext } from "../scheme/context.ts";
import type { Operation, OperationName, ResultInit, OperationResult } from "../scheme/operation.ts";
import type { Plan, PlanOptions } from "../scheme/plan.ts";
import type { Resource } from "../scheme/resource.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { Url } from "../syntax/index.ts";

/** Plans and executes one operation: `dereference`, or an optional operation of the URL's scheme. */
export interface OperationHandler<G = unknown> {
  /** The name in error messages. */
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

export const dereferenceOperation: OperationHandler<Resource> = {
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

/** The names of operations in error messages. */
const NAMES: Readonly<Record<OperationName, string>> = {
  stat: "stat",
  put: "put",
  delete: "delete",
  mkdir: "make directory",
  rename: "rename",
};

/**
 * Returns the handler of an optional operation. Its `plan` throws `unsupported` when the scheme lacks the operation.
 */
export function namedOperation<G extends OperationResult>(
  method: OperationName,
  operationOptions: object = {},
): OperationHandler<G> {
  type AnyOperation = Operation<Url, object, object, G>;
  const operationOf = (scheme: Scheme): AnyOperation => {
    const found = scheme.operations?.[method] as AnyOperation | undefined;
    if (found) return found;
    throw new AccessError("unsupported", `the scheme ${scheme.name} has no operation ${method}`);
  };
  return {
    name: NAMES[method],
    method,
    plan: (scheme, url, options) => operationOf(scheme).plan(url, { ...options, ...operationOptions }),
    perform: (scheme, plan, context, options) =>
      // `context.redirectTo` executes the same operation on the next hop.
      operationOf(scheme).perform(plan, context as unknown as AccessContext<G>, {
        ...options,
        ...operationOptions,
      }),
  };
}

/** Creates the plan of an operation. Throws `limit` for a plan with more than `maxSteps` steps. */
export function planOperation(
  operation: OperationHandler,
  scheme: Scheme,
  url: Url,
  options: PlanOptions,
  limits: Limits,
): Plan {
  const plan = operation.plan(scheme, url, options);
  const { length } = plan.steps.filter(({ action }) => action !== "expect");
  if (length > limits.maxSteps) throw limitError("maxSteps", limits, "the plan has too many steps");
  return plan;
}
