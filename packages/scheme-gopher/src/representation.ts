import { guessMediaType } from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { type Answer, itemTypeOf } from "./item-types.ts";
import { type GopherFields, itemTypeIn } from "./syntax.ts";

/**
 * What a URL asks for: an item; the attributes of one, or of all in a directory; the form of an item; or a search whose words are
 * not known yet, which nobody can be asked for.
 */
export type Asked = Answer | "attributes" | "items" | "form" | "words";

/** What a URL asks a server for. */
export interface Representation<A = Asked> {
  readonly answer: A;
  readonly mediaType: string;
}

/**
 * What is to come for a URL, whose item may be known already; `undefined` for an item that no Gopher server answers.
 * RFC 1738 §3.4.4–3.4.8.
 */
export function representationOf(
  fields: GopherFields,
  item: Representation | undefined = itemRepresentation(fields),
): Representation | undefined {
  if (!item) return undefined;
  if (fields.search === undefined)
    return itemTypeIn(fields) === "7" ? { answer: "words", mediaType: item.mediaType } : item;
  const plus = fields.plus === undefined ? "" : percentDecodeText(fields.plus);
  if (plus.startsWith("!")) return { answer: "attributes", mediaType: "text/plain" };
  if (plus.startsWith("$")) return { answer: "items", mediaType: "application/gopher+-menu" };
  if (plus === "?") return { answer: "form", mediaType: "text/plain" };
  const view = /^\+([^ \t]+)/.exec(plus)?.[1]?.toLowerCase();
  if (view === undefined) return item;
  if (view === "application/gopher-menu") return { answer: "menu", mediaType: view };
  if (view === "application/gopher+-menu") return { answer: "items", mediaType: view };
  return { answer: view.startsWith("text/") ? "text" : "bytes", mediaType: view };
}

/** What an item is by its type, whatever is asked of it; `undefined` for one that no Gopher server answers. */
export function itemRepresentation(fields: GopherFields): Representation<Answer> | undefined {
  const { answer, mediaType = "*/*" } = itemTypeOf(itemTypeIn(fields));
  return answer && { answer, mediaType: fittingType(mediaType, fields) };
}

/** RFC 1738 has selectors opaque; nearly all servers have paths for selectors. */
function nameIn({ selector = "" }: GopherFields): string | undefined {
  return percentDecodeText(selector).split("/").at(-1);
}

function fittingType(pattern: string, fields: GopherFields): string {
  if (!pattern.endsWith("/*")) return pattern;
  const guess = guessMediaType(nameIn(fields));
  const family = pattern === "*/*" ? "" : pattern.slice(0, -1);
  return guess?.startsWith(family) ? guess : "application/octet-stream";
}
