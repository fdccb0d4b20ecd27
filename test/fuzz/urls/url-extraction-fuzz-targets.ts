import { type UrlMatch, extractUrls, type InvalidUrlMatch } from "@anyscheme/core/extract";
import { ALL_SYNTAXES } from "../../fixtures/all-syntaxes.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const sampleTexts = [
  "See <URL:ftp://h.example/a b/\r\n c;type=i>, or http://h.example/x?y#z. (gopher://h.example:70/11/d)\r\n",
  "> <url: news:comp.infosystems.www.misc>\r\n> <URL:http://h.example/a-\r\n> b> mailto:a@b.example!\r\n",
  "telnet://me:pw@h.example:23/ <wais://h.example/d?w> <URL:x-odd:y> prospero://h.example:1525//p;v=1\r\n",
  "http://h.example/\xc3\xa9 nntp://h.example/a.b/1\xff file://localhost/etc/fstab <URL:http://[::1]/>\r\n",
];

/** The maximum length of a URL is so low that some generated texts exceed it. */
const MAX_URL_LENGTH = 120;

async function* createByteStream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

function formatExtractedMatch(found: UrlMatch | InvalidUrlMatch): unknown {
  assertCondition(found.length >= 0 && found.index >= 0, "the position of the match is negative");
  if ("fault" in found) return [found.index, found.length, found.text, found.fault.code];
  assertCondition(found.length > 0, "the text of the URL is empty");
  const { url, index, length, inUrlWrapper: wrapped, isAlternative: alternative, fragment, text } = found;
  assertCondition(!/[\0-\x20]/.test(text), "the URL has spaces or control characters");
  return [url.href, index, length, wrapped, alternative, fragment, text];
}

/** Decoders that extract bare URLs, URLs in `<URL:…>` and rejected URLs from a stream of bytes. */
export const fuzzedUrlExtractionDecoders: readonly FuzzedDecoder[] = [true, false].map((bare) => ({
  name: bare ? "URLs in running text" : "URLs in the form <URL:…> in running text",
  samples: sampleTexts,
  async *decode(chunks) {
    const rejected: InvalidUrlMatch[] = [];
    const options = {
      syntaxes: ALL_SYNTAXES,
      bareUrls: bare,
      maxLength: MAX_URL_LENGTH,
      onInvalid: (match: InvalidUrlMatch) => void rejected.push(match),
    };
    for await (const found of extractUrls(createByteStream(chunks), options)) {
      for (const match of rejected.splice(0)) yield formatExtractedMatch(match);
      yield formatExtractedMatch(found);
    }
    for (const match of rejected) yield formatExtractedMatch(match);
  },
}));
