import { AccessError } from "../errors/access-error.ts";
import type { BodilessResourceKind, KindSpecificResourceFields, Resource } from "../scheme/resource.ts";
import type { ResourceContext } from "./resource-context.ts";

/**
 * Creates a resource of a kind without a body. Preserves the property descriptors of the fields that only this kind
 * has.
 */
export function createBodilessResource<K extends BodilessResourceKind, X extends object>(
  kind: K,
  own: KindSpecificResourceFields<K> & X,
  { url, redirectChain, plan, lifetime }: ResourceContext,
): Resource & { kind: K } & X {
  const close = (): Promise<void> => {
    lifetime.abortSignal(new AccessError("aborted", "the resource was closed"));
    return Promise.resolve();
  };
  // A resource without a body has no reader that would end the lifetime after an abort.
  lifetime.signal.addEventListener("abort", () => lifetime.end());
  const common = { kind, url, redirectChain, plan, close, [Symbol.asyncDispose]: close };
  // Copying property descriptors keeps a password non-enumerable.
  const properties = {
    ...Object.getOwnPropertyDescriptors(common),
    ...Object.getOwnPropertyDescriptors(own),
  };
  return Object.defineProperties({}, properties) as Resource & { kind: K } & X;
}
