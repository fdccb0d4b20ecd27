import { type Random, seeded } from "../measure/random.ts";
import { conformingUrl, word } from "./urls.ts";

export interface MailOptions {
  readonly seed: number;
  readonly bytes: number;
  /** URLs in `<URL:…>`. */
  readonly wrapped: number;
  /** URLs without it. */
  readonly bare: number;
}

export interface Mail {
  /** The messages with their headers. Their total length is about the requested one. */
  readonly messages: readonly string[];
  readonly wrapped: number;
  readonly bare: number;
}

/** The mean length of a message is 3.95 KB. */
const MESSAGE = 3950;
const LINE = 72;

/** Returns mail and news in the style of 1994 and later: headers, paragraphs, quotations, and URLs of both kinds. */
export function mailLikeText({ seed, bytes, wrapped, bare }: MailOptions): Mail {
  const random = seeded(seed);
  const vocabulary = Array.from({ length: 3000 }, () =>
    random.oneIn(100) ? `${word(random)}é` : word(random),
  );
  const count = Math.round(bytes / MESSAGE);
  const messages: string[] = [];
  for (let index = 0; index < count; index++) {
    const share = (all: number): number =>
      Math.floor(((index + 1) * all) / count) - Math.floor((index * all) / count);
    const urls = [
      ...Array.from({ length: share(wrapped) }, () => wrap(random)),
      ...Array.from({ length: share(bare) }, () => set(random)),
    ];
    const length = Math.round((bytes * (index + 1)) / count) - Math.round((bytes * index) / count);
    messages.push(message(random, vocabulary, urls, length));
  }
  return { messages, wrapped, bare };
}

/** Returns a URL in its wrapper. 3 of 10 have line breaks, 1 of 20 a prefix in lower case, 1 of 30 a fragment. */
function wrap(random: Random): string {
  const url = `${conformingUrl(random)}${random.oneIn(30) ? `#${word(random)}` : ""}`;
  const prefix = random.oneIn(20) ? "<url:" : "<URL:";
  if (random.below(10) >= 3) return `${prefix}${url}>`;
  const middle = 5 + random.below(url.length - 5);
  return `${prefix}${url.slice(0, middle)}\n   ${url.slice(middle)}>`;
}

/** Returns a bare URL, with the punctuation of its sentence. */
function set(random: Random): string {
  const url = conformingUrl(random);
  return random.pick([url, url, `${url}.`, `${url},`, `(${url})`, `"${url}"`, `<${url}>`, `${url}:`]);
}

function message(random: Random, vocabulary: readonly string[], urls: string[], length: number): string {
  const head = headers(random, vocabulary);
  const lines: string[] = [];
  let line = "";
  let left = length - head.length - 2;
  const gap = Math.floor(left / (urls.length + 1));
  let next = left - gap;
  while (left > 0) {
    const due = left <= next && urls.length > 0;
    const text = due ? (urls.pop() ?? "") : random.pick(vocabulary);
    if (due) next -= gap;
    if (line.length + text.length > LINE) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? text : ` ${text}`;
    if (random.oneIn(12)) line += random.pick([".", ",", ": as", "!", "; if"]);
    left -= text.length + 1;
  }
  const body = [...lines, line, ...urls].join("\n");
  return `${head}\n${random.oneIn(8) ? body.replace(/^/gm, "> ") : body}\n\n`;
}

function headers(random: Random, vocabulary: readonly string[]): string {
  const at = (): string => `${word(random)}@${word(random)}.${random.pick(["edu", "org", "com"])}`;
  const two = (limit: number): string => String(random.below(limit)).padStart(2, "0");
  return [
    `Received: from ${word(random)}.edu (${word(random)}.edu [192.0.2.${random.below(256)}]) by ${word(random)}.org; ${two(24)}:${two(60)}:${two(60)}`,
    `From: ${word(random)} ${word(random)} <${at()}>`,
    `To: ${at()}`,
    `Subject: ${random.oneIn(2) ? "Re: " : ""}${random.pick(vocabulary)} ${random.pick(vocabulary)}`,
    `Date: Mon, ${1 + random.below(28)} Nov 1994 ${two(24)}:${two(60)}:${two(60)} +0000`,
    `Message-ID: <${random.below(1e9)}.${at()}>`,
    "",
  ].join("\n");
}
