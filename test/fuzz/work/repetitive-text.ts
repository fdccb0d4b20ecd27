/**
 * Short texts with a meaning in some protocol. A parser that tries many ways to split a repetition of such a text takes
 * quadratic time.
 */
export const REPEATED_MOTIFS: readonly string[] = [
  ...Array.from(" \t\r\n0aZ/:;%<>()[]{}\"'@?#&=+-.,*|\\~!_$\0\x7f\xa0\xe9\xff"),
  "\r\n",
  "\r\n ",
  "a ",
  "1 ",
  "a\t",
  "a.",
  "a:",
  "a=",
  "a-",
  "a/",
  "%41",
  '\\"',
  "a,",
  "1,",
  "a@",
  "<a",
  "(a",
  ";a=b",
  "a\r\n",
  'a="b" ',
  "://",
  "../",
  "''",
];

/** The texts before and after the repetition of a short text in a parser's input. */
export interface TextsAroundRepetition {
  readonly prefix: string;
  readonly suffix: string;
}

/** The empty prefix and suffix of an input that is only a repetition. */
export const NO_TEXT_AROUND_REPETITION: TextsAroundRepetition = { prefix: "", suffix: "" };

/** Classes of characters. A sample input is split into fields where the class of its characters changes. */
const CHARACTER_CLASSES: readonly RegExp[] = [/[A-Za-z]/, /\d/, /[ \t]/, /[\r\n]/];

function getCharacterClass(character: string): number | string {
  const index = CHARACTER_CLASSES.findIndex((pattern) => pattern.test(character));
  return index < 0 ? character : index;
}

/**
 * Lists the places of a repetition: a whole text, and each place in a sample where a field of the protocol begins or
 * ends. The text after the repetition is empty, NUL, a line "x" between CR and CRLF, or the rest of the sample.
 */
export function listTextsAroundRepetition(samples: readonly string[]): TextsAroundRepetition[] {
  const places = new Map<string, TextsAroundRepetition>();
  const add = (prefix: string, suffix: string): void =>
    void places.set(JSON.stringify([prefix, suffix]), { prefix, suffix });
  for (const sample of ["", ...samples]) {
    for (let index = 0; index <= sample.length; index++) {
      const isInside = index > 0 && index < sample.length;
      if (isInside && getCharacterClass(sample.charAt(index - 1)) === getCharacterClass(sample.charAt(index)))
        continue;
      for (const suffix of ["", "\0", "\rx\r\n", sample.slice(index)]) add(sample.slice(0, index), suffix);
    }
  }
  return [...places.values()];
}

/** Returns a text of about `size` characters: the prefix, repetitions of the motif, and the suffix. */
export function createRepetitiveText(
  { prefix, suffix }: TextsAroundRepetition,
  motif: string,
  size: number,
): string {
  return prefix + motif.repeat(Math.ceil(size / motif.length)) + suffix;
}
