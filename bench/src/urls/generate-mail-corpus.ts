import { type SeededRandom, createSeededRandom } from "../measure/seeded-random.ts";
import { generateConformingUrl, generateWord } from "./generate-urls.ts";

export interface MailCorpusOptions {
  readonly seed: number;
  readonly totalBytes: number;
  /** The number of URLs that the generated messages contain in the wrapper `<URL:…>`. */
  readonly wrappedUrlCount: number;
  /** The number of URLs that the generated messages contain without the wrapper `<URL:…>`. */
  readonly bareUrlCount: number;
}

/** Many mail and news messages, from which the benchmark extracts URLs. */
export interface GeneratedMailCorpus {
  /**
   * The generated messages with their headers. The total length of the generated messages is about
   * `totalBytes`.
   */
  readonly messages: readonly string[];
  readonly wrappedUrlCount: number;
  readonly bareUrlCount: number;
}

/** The mean length of a generated message is 3.95 KB. */
const MEAN_MESSAGE_LENGTH = 3950;
const MAX_LINE_LENGTH = 72;

/** Returns mail and news messages with headers, paragraphs, quotations, and wrapped and bare URLs. */
export function generateMailCorpusWithUrls({
  seed,
  totalBytes: bytes,
  wrappedUrlCount: wrapped,
  bareUrlCount: bare,
}: MailCorpusOptions): GeneratedMailCorpus {
  const random = createSeededRandom(seed);
  const vocabulary = Array.from({ length: 3000 }, () =>
    random.trueOneTimeIn(100) ? `${generateWord(random)}é` : generateWord(random),
  );
  const count = Math.round(bytes / MEAN_MESSAGE_LENGTH);
  const messages: string[] = [];
  for (let index = 0; index < count; index++) {
    const share = (all: number): number =>
      Math.floor(((index + 1) * all) / count) - Math.floor((index * all) / count);
    const urls = [
      ...Array.from({ length: share(wrapped) }, () => generateWrappedUrl(random)),
      ...Array.from({ length: share(bare) }, () => generateBareUrl(random)),
    ];
    const length = Math.round((bytes * (index + 1)) / count) - Math.round((bytes * index) / count);
    messages.push(generateMessage(random, vocabulary, urls, length));
  }
  return { messages, wrappedUrlCount: wrapped, bareUrlCount: bare };
}

/**
 * Returns a wrapped URL such as `<URL:…>`. 3 of 10 URLs contain line breaks, 1 of 20 has the prefix `url:`,
 * and 1 of 30 has a fragment.
 */
function generateWrappedUrl(random: SeededRandom): string {
  const url = `${generateConformingUrl(random)}${random.trueOneTimeIn(30) ? `#${generateWord(random)}` : ""}`;
  const prefix = random.trueOneTimeIn(20) ? "<url:" : "<URL:";
  if (random.integerBelow(10) >= 3) return `${prefix}${url}>`;
  const middle = 5 + random.integerBelow(url.length - 5);
  return `${prefix}${url.slice(0, middle)}\n   ${url.slice(middle)}>`;
}

/** Returns a URL without the wrapper `<URL:…>`, with or without other punctuation around the URL. */
function generateBareUrl(random: SeededRandom): string {
  const url = generateConformingUrl(random);
  return random.pickFrom([url, url, `${url}.`, `${url},`, `(${url})`, `"${url}"`, `<${url}>`, `${url}:`]);
}

function generateMessage(
  random: SeededRandom,
  vocabulary: readonly string[],
  urls: string[],
  length: number,
): string {
  const head = generateHeaders(random, vocabulary);
  const lines: string[] = [];
  let line = "";
  let left = length - head.length - 2;
  const gap = Math.floor(left / (urls.length + 1));
  let next = left - gap;
  while (left > 0) {
    const due = left <= next && urls.length > 0;
    const text = due ? (urls.pop() ?? "") : random.pickFrom(vocabulary);
    if (due) next -= gap;
    if (line.length + text.length > MAX_LINE_LENGTH) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? text : ` ${text}`;
    if (random.trueOneTimeIn(12)) line += random.pickFrom([".", ",", ": as", "!", "; if"]);
    left -= text.length + 1;
  }
  const body = [...lines, line, ...urls].join("\n");
  return `${head}\n${random.trueOneTimeIn(8) ? body.replace(/^/gm, "> ") : body}\n\n`;
}

function generateHeaders(random: SeededRandom, vocabulary: readonly string[]): string {
  const at = (): string =>
    `${generateWord(random)}@${generateWord(random)}.${random.pickFrom(["edu", "org", "com"])}`;
  const two = (limit: number): string => String(random.integerBelow(limit)).padStart(2, "0");
  return [
    `Received: from ${generateWord(random)}.edu (${generateWord(random)}.edu [192.0.2.${random.integerBelow(256)}]) by ${generateWord(random)}.org; ${two(24)}:${two(60)}:${two(60)}`,
    `From: ${generateWord(random)} ${generateWord(random)} <${at()}>`,
    `To: ${at()}`,
    `Subject: ${random.trueOneTimeIn(2) ? "Re: " : ""}${random.pickFrom(vocabulary)} ${random.pickFrom(vocabulary)}`,
    `Date: Mon, ${1 + random.integerBelow(28)} Nov 1994 ${two(24)}:${two(60)}:${two(60)} +0000`,
    `Message-ID: <${random.integerBelow(1e9)}.${at()}>`,
    "",
  ].join("\n");
}
