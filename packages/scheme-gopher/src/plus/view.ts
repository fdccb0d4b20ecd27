import { withPlus } from "../item-url.ts";
import type { GopherUrl } from "../syntax.ts";

/** One data representation of an item. Gopher+, section 2.6; RFC 1738 §3.4.8. */
export interface GopherView {
  /** The view name as the server writes it: a media type, as in `application/postscript`, or a name of Gopher's own. */
  readonly mediaType: string;
  /** As in `Es_ES`; `undefined` where the server names none. */
  readonly language: string | undefined;
  /** In bytes, rounded by the server, so that it is not the size to expect; `undefined` where it is not told. */
  readonly approximateSize: number | undefined;
  /**
   * The URL of the item in this representation. `undefined` for an item that no URL leads to, and for a name beyond US-ASCII, which
   * no media type has and which might go back to the server in other bytes.
   */
  readonly url: GopherUrl | undefined;
}

/** What a caller wants of the views of an item. */
export interface ViewWish {
  /** Media types, the best first; `*` stands for any half, as in `text/*`. Default: any. */
  readonly accept?: string | readonly string[] | undefined;
  /** Languages, the best first; `es` stands for `Es_ES` too. A view that names no language suits all. Default: any. */
  readonly language?: string | readonly string[] | undefined;
}

/** The units of sizes such as `<10k>`. */
const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 };

/** `Text/plain En_US: <.0k>`. A media type has no blanks; a language has none and no colon. */
const line = /^\s*([^\s:]+)(?:[ \t]+([^\s:]+))?\s*(?::\s*(?:<\s*(\d*\.?\d+)\s*([bkmg]?)\w*\s*>)?.*)?$/is;

/** The views that the lines of a block +VIEWS list, in the server's order, which has its preferred one first. */
export function viewsOf(lines: readonly string[], item: GopherUrl | undefined): GopherView[] {
  return lines.flatMap((text) => {
    const [, mediaType, language, size, unit = ""] = line.exec(text) ?? [];
    if (mediaType === undefined) return [];
    const approximateSize =
      size === undefined ? undefined : Math.round(Number(size) * (UNITS[unit.toLowerCase()] ?? 1));
    return [viewOf(mediaType, language, approximateSize, item)];
  });
}

const usAscii = /^[\0-\x7f]*$/;

/** A view with its URL: `+<view_name>%20<language_name>`. RFC 1738 §3.4.8. */
export function viewOf(
  mediaType: string,
  language: string | undefined,
  approximateSize: number | undefined,
  item: GopherUrl | undefined,
): GopherView {
  const plus = `+${mediaType}${language === undefined ? "" : ` ${language}`}`;
  const url = item && usAscii.test(plus) ? withPlus(item, plus) : undefined;
  return { mediaType, language, approximateSize, url };
}

/** The view that suits best: by media type first, then by language, then by the server's order. */
export function bestView(
  views: readonly GopherView[],
  { accept, language = [] }: ViewWish,
): GopherView | undefined {
  const types = accept === undefined ? [/^/] : [accept].flat().map(typePattern);
  const languages = [language].flat().map(languagePattern);
  const ranked = views.flatMap((view) => {
    const type = types.findIndex((pattern) => pattern.test(view.mediaType));
    const tongue = rankOf(view.language, languages);
    return type < 0 || tongue < 0 ? [] : [{ view, type, tongue }];
  });
  return ranked.toSorted((a, b) => a.type - b.type || a.tongue - b.tongue)[0]?.view;
}

function rankOf(language: string | undefined, wanted: readonly RegExp[]): number {
  if (wanted.length === 0) return 0;
  if (language === undefined) return wanted.length;
  return wanted.findIndex((pattern) => pattern.test(language));
}

function typePattern(type: string): RegExp {
  return new RegExp(`^${escaped(type.trim()).replaceAll("\\*", "[^/]+")}$`, "i");
}

/** `Es_ES` and `es-ES` are two spellings of the same. */
function languagePattern(language: string): RegExp {
  return new RegExp(`^${escaped(language.trim()).replace(/[_-]/g, "[_-]")}(?:[_-].*)?$`, "is");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
