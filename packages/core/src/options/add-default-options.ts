/** Returns the options whose value is not `undefined`. */
export function removeAbsentOptions<G extends object>(given: G): G {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as G;
}

/**
 * Returns the given options with default values. An option with the value `undefined` is absent and has its default, as
 * in a parameter of a function.
 */
export function addDefaultOptions<D extends object, G extends object>(defaults: D, given: G): D & G {
  return { ...defaults, ...removeAbsentOptions(given) };
}
