import { type UrlMatch, extractUrls, type InvalidMatch } from "@anyscheme/core/extract";
import { syntaxes } from "../../fixtures/syntaxes.ts";
import { type Decoder, hold } from "../decoder.ts";

const samples = [
  "See <URL:ftp://h.example/a b/\r\n c;type=i>, or http://h.example/x?y#z. (gopher://h.example:70/11/d)\r\n",
  "> <url: news:comp.infosystems.www.misc>\r\n> <URL:http://h.example/a-\r\n> b> mailto:a@b.example!\r\n",
  "telnet://me:pw@h.example:23/ <wais://h.example/d?w> <URL:x-odd:y> prospero://h.example:1525//p;v=1\r\n",
  "http://h.example/\xc3\xa9 nntp://h.example/a.b/1\xff file://localhost/etc/fstab <URL:http://[::1]/>\r\n",
];

/** A low limit, so that some generated texts exceed it. */
const MAX_LENGTH = 120;

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield piece;
}

function shown(found: UrlMatch | InvalidMatch): unknown {
  hold(found.length >= 0 && found.index >= 0, "the place is none");
  if ("fault" in found) return [found.index, found.length, found.text, found.fault.code];
  hold(found.length > 0, "a URL is nowhere");
  const { url, index, length, wrapped, alternative, fragment, text } = found;
  hold(!/[\0-\x20]/.test(text), "a URL has blanks or controls");
  return [url.href, index, length, wrapped, alternative, fragment, text];
}

/** Extracts bare, wrapped and rejected URLs from a stream of bytes. */
export const extraction: readonly Decoder[] = [true, false].map((bare) => ({
  name: bare ? "URLs in running text" : "wrapped URLs in running text",
  samples,
  async *decode(pieces) {
    const refused: InvalidMatch[] = [];
    const options = {
      syntaxes,
      bare,
      maxLength: MAX_LENGTH,
      onInvalid: (one: InvalidMatch) => void refused.push(one),
    };
    for await (const found of extractUrls(streamOf(pieces), options)) {
      for (const one of refused.splice(0)) yield shown(one);
      yield shown(found);
    }
    for (const one of refused) yield shown(one);
  },
}));
