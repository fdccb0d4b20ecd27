/**
 * Returns the given options with default values. An option with the value `undefined` is absent and has its default, as
 * in a parameter of a function.
 */
export function addDefaultOptions<D extends object, G extends object>(defaults: D, given: G): D & G {
  const merged = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) if (value !== undefined) merged[name] = value;
  return merged as D & G;
}
