/** Headers as pairs of name and value. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/**
 * Merges headers: an object, a `Headers` object or pairs of name and value. A later header replaces all earlier headers
 * of the same name, without regard to case. The value `undefined` removes a header. The scheme checks the names and
 * values of the headers.
 */
export function mergeHeaders(...sources: readonly unknown[]): HeaderPairs {
  let merged: (readonly [string, string])[] = [];
  for (const source of sources) {
    const pairs = listHeaders(source);
    const names = new Set(pairs.map(([name]) => name.toLowerCase()));
    merged = merged.filter(([name]) => !names.has(name.toLowerCase()));
    for (const [name, value] of pairs) if (value !== undefined) merged.push([name, value]);
  }
  return merged;
}

function listHeaders(source: unknown): (readonly [name: string, value: string | undefined])[] {
  if (typeof source !== "object" || source === null) return [];
  if (Symbol.iterator in source) return [...(source as Iterable<readonly [string, string]>)];
  return Object.entries(source as Readonly<Record<string, string | undefined>>);
}
