import * as fc from "fast-check";

/** The input of a decoder: bytes, and the positions at which they are split into chunks. */
export interface InputWithSplitPositions {
  /** The input as text with one character per byte, so that error reports are readable. */
  readonly text: string;
  /** The positions at which `text` is split, modulo its length plus one. */
  readonly splitPositions: readonly number[];
}

/** Characters with a meaning in line protocols, and quotation marks. */
const DELIMITERS = Array.from(
  "\r\n\t .-+:;,=()<>[]{}'\"%/\\|*?@#&\0\x7f\x80\xa0\xc3\xe9\xf0\xf1\xfa\xff019aA",
);
const DELIMITER_SEQUENCES = [
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

const arbitraryByte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const arbitraryFragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...DELIMITERS, ...DELIMITER_SEQUENCES) },
  { weight: 1, arbitrary: arbitraryByte },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...DELIMITERS), fc.integer({ min: 2, max: 300 }))
      .map(repeatDelimiter),
  },
);

function repeatDelimiter([delimiter, count]: readonly [string, number]): string {
  return delimiter.repeat(count);
}

/** Generates one change of a text, which replaces the characters at a position by others. */
const arbitraryTextChange = fc.record({
  position: fc.nat(),
  removedLength: fc.nat({ max: 20 }),
  insertedText: fc.oneof(fc.constant(""), arbitraryFragment),
});

/** Generates a sample, or a concatenation of parts of the samples, with up to six changes. */
function mutatedSamples(samples: readonly string[]): fc.Arbitrary<string> {
  const part = fc
    .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat())
    .map(([sample, from, length]) => sample.slice(from % (sample.length + 1)).slice(0, length % 400));
  const unchanged = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...samples) },
    { weight: 1, arbitrary: fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")) },
  );
  return fc
    .tuple(unchanged, fc.array(arbitraryTextChange, { maxLength: 6 }))
    .map(([text, changes]) => changes.reduce(applyTextChange, text));
}

function applyTextChange(
  text: string,
  {
    position,
    removedLength,
    insertedText,
  }: { position: number; removedLength: number; insertedText: string },
): string {
  const start = position % (text.length + 1);
  return text.slice(0, start) + insertedText + text.slice(start + removedLength);
}

/** Generates samples of real servers with changes, sequences of delimiters, and arbitrary bytes. */
export function arbitraryMutatedSamples(samples: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: mutatedSamples(samples) },
    { weight: 2, arbitrary: fc.array(arbitraryFragment, { maxLength: 40 }).map((scraps) => scraps.join("")) },
    { weight: 1, arbitrary: fc.array(arbitraryByte, { maxLength: 80 }).map((bytes) => bytes.join("")) },
  );
}

/** Generates bytes like the samples, with arbitrary positions of the splits. */
export function arbitraryInputsWithSplitPositions(
  samples: readonly string[],
): fc.Arbitrary<InputWithSplitPositions> {
  return fc.record({
    text: arbitraryMutatedSamples(samples),
    splitPositions: fc.array(fc.nat({ max: 2000 }), { maxLength: 5 }),
  });
}

/** Splits the text of a fuzz input into chunks at its split positions. A chunk of a fuzz input may be empty. */
export function splitAtPositions({ text, splitPositions }: InputWithSplitPositions): string[] {
  const starts = splitPositions.map((position) => position % (text.length + 1)).toSorted((a, b) => a - b);
  return [...starts, text.length].map((end, index) => text.slice(starts[index - 1] ?? 0, end));
}

export function encodeLatin1(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
