import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";

/** A header field of a mailto URL as written. A field without "=" has no value. */
export type PercentEncodedHeaderField = readonly [name: string, value: string | undefined];

/** A header field of RFC 6068 §2. The name is decoded, but the value is still percent-encoded. */
export interface ParsedMailtoHeaderField {
  /** The decoded name of the header field in a mailto URL, in lower case. */
  readonly name: string;
  /**
   * The value of the header field as written in the URL. `undefined` for a header field of a mailto URL without "=".
   */
  readonly encodedValue: string | undefined;
  /** The index of the first byte of the value in the decoded text after "mailto:". */
  readonly valueStart: number;
}

/** Splits a header field of a mailto URL at its first "=". */
export function splitMailtoHeaderField(field: string): PercentEncodedHeaderField {
  const mark = field.indexOf("=");
  return Object.freeze(
    mark < 0 ? ([field, undefined] as const) : ([field.slice(0, mark), field.slice(mark + 1)] as const),
  );
}

/** Parses the header fields after the first "?" of the text after "mailto:". Omits empty fields. RFC 6068 §2. */
export function parseMailtoHeaderFields(text: string): ParsedMailtoHeaderField[] {
  const mark = text.indexOf("?");
  if (mark < 0) return [];
  const fields: ParsedMailtoHeaderField[] = [];
  let start = percentDecode(text.slice(0, mark)).length + 1;
  for (const field of text.slice(mark + 1).split("&")) {
    const [name, encodedValue] = splitMailtoHeaderField(field);
    const end = start + percentDecode(field).length;
    const valueStart = end - percentDecode(encodedValue ?? "").length;
    if (field !== "") fields.push({ name: percentDecodeText(name).toLowerCase(), encodedValue, valueStart });
    start = end + 1;
  }
  return fields;
}
