/** A set of characters. Those beyond US-ASCII are all in it or all outside. */
export interface UnitClass {
  /** Sticky: matches the longest run at `lastIndex`. */
  readonly run: RegExp;
  /** For each octet whether it belongs to the set. */
  readonly octets: Uint8Array;
}

/** Makes a set from what stands between the brackets of an expression. */
export function unitClass(listed: string): UnitClass {
  const one = new RegExp(`[${listed}]`);
  return {
    run: new RegExp(`[${listed}]*`, "y"),
    octets: Uint8Array.from({ length: 0x100 }, (_, code) => Number(one.test(String.fromCharCode(code)))),
  };
}

/** A stretch of text to search, in its own units: UTF-16 units of a string, or octets of UTF-8. */
export interface Units<Chunk = string | Uint8Array> {
  length(): number;
  /** The code of a unit; no number above 0 outside of the stretch. */
  at(index: number): number;
  /** Where the next colon stands, at `from` or after it; -1 when there is none. */
  colon(from: number): number;
  /** The index of the first unit at or after `from` that is not of the class. */
  past(some: UnitClass, from: number): number;
  /** The text of the units; what is no UTF-8 becomes U+FFFD. */
  text(start: number, end: number): string;
  /** The number of units that the text takes. */
  measure(text: string): number;
  append(chunk: Chunk): void;
  /** Forgets the first units. */
  drop(count: number): void;
}

export function textUnits(text: string): Units<string> {
  return {
    length: () => text.length,
    at: (index) => text.charCodeAt(index),
    colon: (from) => text.indexOf(":", from),
    past({ run }, from) {
      run.lastIndex = from;
      run.test(text);
      return run.lastIndex;
    },
    text: (start, end) => text.slice(start, end),
    measure: (part) => part.length,
    append(chunk) {
      text += chunk;
    },
    drop(count) {
      text = text.slice(count);
    },
  };
}

/** Octets are searched as octets: nothing but what may be a URL is ever decoded. */
export function octetUnits(octets: Uint8Array): Units<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** What holds the octets, used again for each chunk. */
  let room = octets;
  return {
    length: () => octets.length,
    at: (index) => octets[index] ?? 0,
    colon: (from) => octets.indexOf(0x3a, from),
    past(some, from) {
      const end = octets.length;
      let index = from;
      while (index < end && some.octets[octets[index] ?? 0] === 1) index++;
      return index;
    },
    text: (start, end) => decoder.decode(octets.subarray(start, end)),
    measure: (part) => new TextEncoder().encode(part).length,
    append(chunk) {
      const { length } = octets;
      const end = length + chunk.length;
      if (end > room.length) {
        room = new Uint8Array(end);
        room.set(octets);
      }
      room.set(chunk, length);
      octets = room.subarray(0, end);
    },
    drop(count) {
      room.copyWithin(0, count, octets.length);
      octets = room.subarray(0, octets.length - count);
    },
  };
}
