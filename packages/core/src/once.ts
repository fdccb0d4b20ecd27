/** Makes a value when it is asked for, once: tables that an import would wait for, and that few programs need at once. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
