import { AccessError } from "../errors/access-error.ts";
import type { ResourceProps, SimpleResourceKind, Resource } from "../scheme/resource.ts";
import type { ResourceOrigin } from "./content.ts";

/** A resource of a kind that needs nothing of the client but its place; what is particular to it keeps its own properties. */
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
  // Nobody reads such a resource and so learns of an abort; what it has opened ends with it all the same.
  scope.signal.addEventListener("abort", () => scope.end());
  const common = { kind, url, redirectChain, plan, close, [Symbol.asyncDispose]: close };
  // Descriptors and not values: a password stays out of enumeration.
  const properties = {
    ...Object.getOwnPropertyDescriptors(common),
    ...Object.getOwnPropertyDescriptors(own),
  };
  return Object.defineProperties({}, properties) as Resource & { kind: K } & X;
}
