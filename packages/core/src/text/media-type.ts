import { bytesToLatin1 } from "./decode-bytes.ts";

/**
 * Media types by file suffix: registered types (IANA) or common `x-` types, and `text/plain` for source code and
 * configuration files. RFC 1738 §3.2.3: "the data content type of a file can only be guessed from the name, e.g., from
 * the suffix of the name".
 */
const MEDIA_TYPE_SUFFIXES: readonly (readonly [mediaType: string, suffixes: string])[] = [
  [
    "text/plain",
    "txt text asc log me readme rfc conf cfg ini diff patch sh c h cc cpp hpp py pl rb go rs java el tex",
  ],
  ["text/html", "html htm shtml"],
  ["text/css", "css"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
  ["text/markdown", "md markdown"],
  ["text/javascript", "js mjs"],
  ["text/xml", "xml xsl rss atom"],
  ["text/calendar", "ics"],
  ["text/vcard", "vcf"],
  ["application/json", "json"],
  ["application/yaml", "yaml yml"],
  ["application/pdf", "pdf"],
  ["application/postscript", "ps eps ai"],
  ["application/rtf", "rtf"],
  ["application/zip", "zip"],
  ["application/gzip", "gz tgz"],
  ["application/zstd", "zst"],
  ["application/x-bzip2", "bz2"],
  ["application/x-xz", "xz"],
  ["application/x-compress", "z"],
  ["application/x-tar", "tar"],
  ["application/x-7z-compressed", "7z"],
  ["application/vnd.debian.binary-package", "deb"],
  ["application/mac-binhex40", "hqx"],
  ["application/wasm", "wasm"],
  ["application/xhtml+xml", "xhtml"],
  ["application/mbox", "mbox"],
  ["application/epub+zip", "epub"],
  ["message/rfc822", "eml"],
  ["image/gif", "gif"],
  ["image/jpeg", "jpg jpeg jpe"],
  ["image/png", "png"],
  ["image/webp", "webp"],
  ["image/avif", "avif"],
  ["image/svg+xml", "svg"],
  ["image/tiff", "tif tiff"],
  ["image/bmp", "bmp"],
  ["image/vnd.microsoft.icon", "ico"],
  ["audio/mpeg", "mp3"],
  ["audio/ogg", "oga ogg opus"],
  ["audio/flac", "flac"],
  ["audio/basic", "au snd"],
  ["audio/vnd.wave", "wav"],
  ["video/mp4", "mp4 m4v"],
  ["video/mpeg", "mpg mpeg"],
  ["video/webm", "webm"],
  ["video/quicktime", "mov qt"],
];

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map(
  MEDIA_TYPE_SUFFIXES.flatMap(([mediaType, suffixes]) =>
    suffixes.split(" ").map((suffix) => [suffix, mediaType] as const),
  ),
);

/** Returns the media type of a file name's suffix, without parameters. `undefined` for an unknown suffix. */
export function guessMediaType(name: string | Uint8Array | undefined): string | undefined {
  if (name === undefined) return undefined;
  const text = typeof name === "string" ? name : bytesToLatin1(name);
  const suffix = /\.([A-Za-z0-9]+)$/.exec(text)?.[1] ?? (/^readme$/i.test(text) ? "readme" : "");
  return MEDIA_TYPES.get(suffix.toLowerCase());
}

/**
 * Returns the charset of a media type under its `TextDecoder` name. The result is `utf-8` when the charset is absent or
 * unknown.
 */
export function getCharsetOrUtf8(mediaType: string): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(mediaType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return "utf-8";
  }
}

/**
 * Decodes the whole body of a response to text. A byte order mark determines the encoding, and has precedence over the
 * charset of the media type. The decoded text does not contain the byte order mark of the body. Without a byte order
 * mark and a charset, the encoding is UTF-8. This is the algorithm "decode" of the Encoding Standard.
 */
export function decodeTextBody(body: Uint8Array, mediaType: string): string {
  return new TextDecoder(findByteOrderMarkEncoding(body) ?? getCharsetOrUtf8(mediaType)).decode(body);
}

function findByteOrderMarkEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}
