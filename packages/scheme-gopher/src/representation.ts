import { mediaTypeOf } from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import { textOf } from "./charset.ts";
import { type Answer, itemTypeOf } from "./item-types.ts";
import type { GopherUrl } from "./syntax.ts";

/** What a URL asks a server for. */
export interface Representation {
  readonly answer: Answer;
  readonly mediaType: string;
}

/** What is to come for a URL; `undefined` for an item that no Gopher server answers. RFC 1738 §3.4.4–3.4.8. */
export function representationOf(url: GopherUrl): Representation | undefined {
  const { answer, mediaType = "*/*" } = itemTypeOf(url.itemType);
  if (answer === undefined) return undefined;
  const plus = url.plus === undefined ? "" : textOf(decodeOctets(url.plus));
  // The attributes of an item, of all items in a directory, and the definition of a form.
  if (/^[!$?]/.test(plus)) return { answer: "text", mediaType: "text/plain" };
  const view = /^\+([^ \t]+)/.exec(plus)?.[1]?.toLowerCase();
  if (view === undefined) return { answer, mediaType: fittingType(mediaType, nameOf(url)) };
  if (view === "application/gopher-menu") return { answer: "menu", mediaType: view };
  return { answer: view.startsWith("text/") ? "text" : "octets", mediaType: view };
}

/** RFC 1738 has selectors opaque; nearly all servers have paths for selectors. */
function nameOf(url: GopherUrl): string | undefined {
  return textOf(decodeOctets(url.selector ?? ""))
    .split("/")
    .at(-1);
}

function fittingType(pattern: string, name: string | undefined): string {
  if (!pattern.endsWith("/*")) return pattern;
  const guess = mediaTypeOf(name);
  const family = pattern === "*/*" ? "" : pattern.slice(0, -1);
  return guess?.startsWith(family) ? guess : "application/octet-stream";
}
