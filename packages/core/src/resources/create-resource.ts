import { AccessError } from "../errors/access-error.ts";
import type { ResourceProps, SimpleResourceKind, Resource } from "../scheme/resource.ts";
import type { ResourceOrigin } from "./content.ts";

/** Creates a resource of a kind without a body. Preserves the property descriptors of the kind's own fields. */
export function createResource<K extends SimpleResourceKind, X extends object>(
  kind: K,
  own: ResourceProps<K> & X,
  { url, redirectChain, plan, lifetime: scope }: ResourceOrigin,
): Resource & { kind: K } & X {
  const close = (): Promise<void> => {
    scope.abort(new AccessError("aborted", "the resource was closed"));
    scope.end();
    return Promise.resolve();
  };
  // The resource has no reader that would end the lifetime after an abort.
  scope.signal.addEventListener("abort", () => scope.end());
  const common = { kind, url, redirectChain, plan, close, [Symbol.asyncDispose]: close };
  // Descriptors preserve that a password is not enumerable.
  const properties = {
    ...Object.getOwnPropertyDescriptors(common),
    ...Object.getOwnPropertyDescriptors(own),
  };
  return Object.defineProperties({}, properties) as Resource & { kind: K } & X;
}
