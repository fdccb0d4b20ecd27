import type { Limits } from "@anyscheme/core";
import { asBuffer, bytesToLatin1, type ByteSource, latin1ToText, limitError } from "@anyscheme/core/plugin";
import type { ArticleHeaderField } from "./article.ts";
import { parseDate } from "./header-values.ts";

/** Parses the fields of a header section (RFC 5322 §2.2). Lines that belong to no field are skipped. */
export function parseHeaderFields(header: Uint8Array): ArticleHeaderField[] {
  const text = bytesToLatin1(header);
  const unfolded = /\n[ \t]/.test(text) ? text.replace(/\r?\n(?=[ \t])/g, "") : text;
  const fields: ArticleHeaderField[] = [];
  for (const line of unfolded.split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    // field-name = 1*ftext: printable US-ASCII characters except ":"
    if (/^[!-9;-~]+$/.test(name)) fields.push({ name, value: latin1ToText(line.slice(colon + 1).trim()) });
  }
  return fields;
}

const DATE = /(?:^|\n)date[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/i;

/** Parses the first Date field of a header section (RFC 5322 §3.6.1). */
export function parseHeaderDate(header: Uint8Array): Date | undefined {
  return parseDate(DATE.exec(bytesToLatin1(header))?.[1] ?? "");
}

/** An article whose header section has been read. The source `body` begins with the header section. */
export interface ArticleSource {
  readonly header: Uint8Array;
  readonly body: ByteSource;
}

/** Reads the header section up to the empty line after it, or to the end (RFC 5322 §2.1). Throws `limit`. */
export async function readHeader(source: ByteSource, limits: Limits): Promise<ArticleSource> {
  let bytes: Uint8Array = new Uint8Array(0);
  for (;;) {
    const state = await source.read((chunk) => {
      bytes = bytes.length === 0 ? Buffer.from(chunk) : Buffer.concat([bytes, chunk]);
      return false;
    });
    const end = headerEnd(bytes);
    const header = bytes.subarray(0, end ?? bytes.length);
    checkHeader(header, limits);
    if (end !== undefined || state === "end") return { header, body: prependBytes(bytes, source, state) };
  }
}

/** Returns the position of the empty line after the header section. */
function headerEnd(bytes: Uint8Array): number | undefined {
  if (bytes[0] === 0x0d && bytes[1] === 0x0a) return 0;
  const end = asBuffer(bytes).indexOf("\r\n\r\n");
  return end < 0 ? undefined : end + 2;
}

function checkHeader(header: Uint8Array, limits: Limits): void {
  if (header.length > limits.maxHeaderBytes)
    throw limitError("maxHeaderBytes", limits, "the header of the article is too long");
  let lines = 0;
  for (let at = header.indexOf(0x0a); at >= 0; at = header.indexOf(0x0a, at + 1)) lines++;
  if (lines > limits.maxHeaderLines)
    throw limitError("maxHeaderLines", limits, "the header of the article has too many lines");
}

/** Returns a source that begins with `bytes` and continues with `source`. */
function prependBytes(bytes: Uint8Array, source: ByteSource, state: "more" | "end"): ByteSource {
  let prefix: Uint8Array | undefined = bytes.length > 0 ? bytes : undefined;
  return {
    async read(onChunk) {
      if (prefix) {
        const wantsMore = onChunk(prefix);
        prefix = undefined;
        if (!wantsMore) return "more";
      }
      return state === "end" ? "end" : source.read(onChunk);
    },
    cancel() {
      prefix = undefined;
      source.cancel();
    },
  };
}
