import { type GopherUrl, replaceGopherPlusString } from "../syntax.ts";

/**
 * A representation of a Gopher item, such as one media type in one language (Gopher+, section 2.6, and RFC 1738
 * §3.4.8).
 */
export interface GopherPlusView {
  /**
   * The name of the view as the server wrote it: a media type such as `application/postscript`, or a name that
   * Gopher+ defines.
   */
  readonly mediaType: string;
  /** The language of the view, as in `Es_ES`. `undefined` for a view without a language. */
  readonly language: string | undefined;
  /**
   * The size in bytes. The Gopher+ server rounds the size of a view, so the body may have another size. `undefined` for
   * a view without a size.
   */
  readonly approximateSize: number | undefined;
  /**
   * The URL that requests the item in this view. `undefined` for an item without a URL, and for a view name outside
   * US-ASCII, because the server may use another charset for this name.
   */
  readonly url: GopherUrl | undefined;
}

/** The Gopher+ views of an item that a caller accepts. */
export interface GopherPlusViewPreference {
  /** Media types, in order of preference. `*` matches any type or subtype, as in `text/*`. Default: any. */
  readonly accept?: string | readonly string[] | undefined;
  /**
   * Languages, in order of preference. The language `es` also matches `Es_ES`. A view without a language matches every
   * preference. Default: any.
   */
  readonly language?: string | readonly string[] | undefined;
}

/** The number of bytes of each unit in a size such as `<10k>`. */
const BYTES_BY_SIZE_UNIT: ReadonlyMap<string, number> = new Map([
  ["k", 1_024],
  ["m", 1_048_576],
  ["g", 1_073_741_824],
]);

/**
 * Matches the part of a +VIEWS line before its colon, such as `Text/plain En_US`. A media type and a language contain
 * no blanks.
 */
const VIEW_NAME = /^(\S+)(?:[ \t]+(\S+))?$/;

/** Matches the size in a line of a +VIEWS block after its "<", such as `.0k>`. */
const VIEW_SIZE = /^(\d+(?:\.\d+)?|\.\d+)\s*(?:([a-z_])\w*\s*)?>/i;

const US_ASCII_TEXT = /^[\0-\x7f]*$/;

/** Parses the lines of a +VIEWS block. Returns the views in the server's order of preference. */
export function parseGopherPlusViews(
  lines: readonly string[],
  item: GopherUrl | undefined,
): GopherPlusView[] {
  return lines.flatMap((line) => {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const [, mediaType, language] = VIEW_NAME.exec(name.trim()) ?? [];
    if (mediaType === undefined) return [];
    const approximateSize = colon < 0 ? undefined : parseViewSize(line.slice(colon + 1).trimStart());
    return [createGopherPlusView(mediaType, language, approximateSize, item)];
  });
}

/** Parses the size at the beginning of a text such as `<10k>`. Returns `undefined` for a text without a size. */
function parseViewSize(text: string): number | undefined {
  if (!text.startsWith("<")) return undefined;
  const [, size, unit = ""] = VIEW_SIZE.exec(text.slice(1).trimStart()) ?? [];
  return size === undefined
    ? undefined
    : Math.round(Number(size) * (BYTES_BY_SIZE_UNIT.get(unit.toLowerCase()) ?? 1));
}

/** Creates a view. The Gopher+ string of a view's URL is `+<view_name>%20<language_name>`. RFC 1738 §3.4.8. */
export function createGopherPlusView(
  mediaType: string,
  language: string | undefined,
  approximateSize: number | undefined,
  item: GopherUrl | undefined,
): GopherPlusView {
  return {
    mediaType,
    language,
    approximateSize,
    // The URL is built on demand, because a +VIEWS block may have many views and the caller requests one of them.
    get url() {
      const plus = `+${mediaType}${language === undefined ? "" : ` ${language}`}`;
      return item && US_ASCII_TEXT.test(plus) ? replaceGopherPlusString(item, plus) : undefined;
    },
  };
}

/**
 * Returns the Gopher+ view of an item that the caller prefers. Compares views by media type, then by language, then by
 * the order of the server.
 */
export function selectGopherPlusView(
  views: readonly GopherPlusView[],
  { accept, language = [] }: GopherPlusViewPreference,
): GopherPlusView | undefined {
  const types = accept === undefined ? [/^/] : [accept].flat().map(createMediaTypePattern);
  const languages = [language].flat().map(createLanguagePattern);
  const ranked = views.flatMap((view) => {
    const typeRank = types.findIndex((pattern) => pattern.test(view.mediaType));
    const languageRank = rankLanguage(view.language, languages);
    return typeRank < 0 || languageRank < 0 ? [] : [{ view, typeRank, languageRank }];
  });
  return ranked.toSorted((a, b) => a.typeRank - b.typeRank || a.languageRank - b.languageRank)[0]?.view;
}

/**
 * Returns the index of the first accepted language that matches, or -1. A view without a language gets the highest
 * index.
 */
function rankLanguage(language: string | undefined, accepted: readonly RegExp[]): number {
  if (accepted.length === 0) return 0;
  if (language === undefined) return accepted.length;
  return accepted.findIndex((pattern) => pattern.test(language));
}

function createMediaTypePattern(type: string): RegExp {
  return new RegExp(`^${escapeRegExp(type.trim()).replaceAll("\\*", "[^/]+")}$`, "i");
}

/** Returns a pattern for a language that matches both `Es_ES` and `es-ES`. */
function createLanguagePattern(language: string): RegExp {
  return new RegExp(`^${escapeRegExp(language.trim()).replace(/[_-]/g, "[_-]")}(?:[_-].*)?$`, "is");
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
