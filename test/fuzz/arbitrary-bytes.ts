import * as fc from "fast-check";

/** Bytes, and the positions at which they are split into chunks. */
export interface Arrival {
  /** The bytes as text, one character per byte, so that a report is readable. */
  readonly text: string;
  readonly cuts: readonly number[];
}

/** Characters with a meaning in line protocols, and characters that end quoted text. */
const MARKS = Array.from("\r\n\t .-+:;,=()<>[]{}'\"%/\\|*?@#&\0\x7f\x80\xa0\xc3\xe9\xf0\xf1\xfa\xff019aA");
const MANY = [
  "\r\n",
  "\n.\r\n",
  "\r\n.\r\n",
  "..",
  "\n ",
  "\xff\xff",
  "\xff\xfa",
  "\xff\xf0",
  "''",
  "\r\r\n",
  "\n\n",
];

const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const scrap = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...MARKS, ...MANY) },
  { weight: 1, arbitrary: byte },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...MARKS), fc.integer({ min: 2, max: 300 })).map(repeated),
  },
);

function repeated([mark, count]: readonly [string, number]): string {
  return mark.repeat(count);
}

/** One change of a text: replaces a number of characters at a position by others. */
const change = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 20 }),
  insert: fc.oneof(fc.constant(""), scrap),
});

/** A text of the samples, or a concatenation of their parts, with changes. */
function damaged(samples: readonly string[]): fc.Arbitrary<string> {
  const part = fc
    .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat())
    .map(([sample, from, length]) => sample.slice(from % (sample.length + 1)).slice(0, length % 400));
  const begun = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...samples) },
    { weight: 1, arbitrary: fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")) },
  );
  return fc
    .tuple(begun, fc.array(change, { maxLength: 6 }))
    .map(([text, changes]) => changes.reduce(changed, text));
}

function changed(
  text: string,
  { at, remove, insert }: { at: number; remove: number; insert: string },
): string {
  const from = at % (text.length + 1);
  return text.slice(0, from) + insert + text.slice(from + remove);
}

/** Data like the samples of real servers: the samples, damaged samples, and arbitrary bytes. */
export function bytesLike(samples: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: damaged(samples) },
    { weight: 2, arbitrary: fc.array(scrap, { maxLength: 40 }).map((scraps) => scraps.join("")) },
    { weight: 1, arbitrary: fc.array(byte, { maxLength: 80 }).map((bytes) => bytes.join("")) },
  );
}

export function arrivalsLike(samples: readonly string[]): fc.Arbitrary<Arrival> {
  return fc.record({ text: bytesLike(samples), cuts: fc.array(fc.nat({ max: 2000 }), { maxLength: 5 }) });
}

/** Splits a text at these positions, taken modulo its length. Chunks may be empty. */
export function piecesOf({ text, cuts }: Arrival): string[] {
  const places = cuts.map((at) => at % (text.length + 1)).toSorted((a, b) => a - b);
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end));
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
