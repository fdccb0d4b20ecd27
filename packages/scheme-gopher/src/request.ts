import { AccessError } from "@anyscheme/core";
import {
  bytesToLatin1,
  latin1ToBytes,
  decodeBinaryStringToText,
  rejectControlBytes,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecode, PASSWORD_MASK } from "@anyscheme/core/syntax";
import type { GopherRequestOptions } from "./scheme-options.ts";
import { type GopherUrl, decodeGopherItemType } from "./syntax.ts";

/** The bytes of a Gopher request, and their description for a plan. */
export interface EncodedGopherRequest {
  readonly bytes: Uint8Array;
  /**
   * The request as printable text, with control characters as in RFC 1738 §3.4.9: `<tab>`, `<cr>`, `<lf>`. The
   * printable text of the request masks the values of a Gopher+ form.
   */
  readonly description: string;
  /** The section of RFC 1738 that the request follows. */
  readonly rfcSection: string;
  /** True when the bytes contain the values of a form. */
  readonly containsFormValues: boolean;
}

type GopherPlanOptions = PlanOptions & GopherRequestOptions;

const TAB_CHARACTER = "\t";
const CRLF = "\r\n";

/**
 * Matches the decoded Gopher+ string that submits a form, with one character per byte. The string is
 * `+<view><tab>1<cr><lf>+-1<cr><lf>`, the values, each with its line end, and `.<cr><lf>`. RFC 1738 §3.4.9.
 */
const SUBMITTED_FORM = /^\+([^\t\r\n\0]*)\t1\r\n\+-1\r\n((?:[^\r\n\0]*\r\n)*)\.\r\n$/;

/**
 * Encodes the Gopher request for a URL. Every Gopher request is encoded by this function. Throws `refused-characters`
 * for every byte that could end a field or the request. RFC 1738 §3.4, §6.
 */
export function encodeGopherRequest(
  { fields }: GopherUrl,
  requestOptions: GopherPlanOptions,
): EncodedGopherRequest {
  decodeRequestField(fields.type, "gophertype", requestOptions);
  const parts = [decodeRequestField(fields.selector, "selector", requestOptions)];
  const search = decodeRequestField(fields.search, "search string", requestOptions);
  if (fields.plus === undefined) {
    if (fields.search === undefined) return encodeRequestLine(parts, "3.4.1");
    return encodeRequestLine([...parts, search], "3.4.2");
  }
  const sendsSearch =
    search !== "" || decodeGopherItemType(fields) === "7" || requestOptions.emptySearch === "send";
  if (sendsSearch) parts.push(search);
  const note = sendsSearch ? "" : " (without the empty search string)";
  const form = SUBMITTED_FORM.exec(bytesToLatin1(percentDecode(fields.plus)));
  if (form) return encodeFormRequest(parts, form, note, requestOptions);
  const plus = decodeRequestField(fields.plus, "Gopher+ string", requestOptions);
  // RFC 1738 §3.4.5: items tagged "?" "require the client to fetch the item's +ASK attribute to get the form
  // definition". The client requests all attributes, because some servers respond with the item itself to a "!"
  // with a name.
  if (plus === "?")
    return encodeRequestLine(
      [...parts, "!"],
      "3.4.5",
      `${note} (requests the form as a part of the attributes)`,
    );
  return encodeRequestLine([...parts, plus], getRfcSection(plus), note);
}

/** Encodes a Gopher request of one line. The fields of the Gopher request have one character per byte. */
function encodeRequestLine(fields: readonly string[], spec: string, note = ""): EncodedGopherRequest {
  const line = fields.join(TAB_CHARACTER);
  return {
    bytes: latin1ToBytes(line + CRLF),
    description: `${escapeForPlan(line)}<cr><lf>${note}`,
    rfcSection: spec,
    containsFormValues: false,
  };
}

/**
 * Encodes the request that submits a form. The Gopher+ string of the form already ends with a line end. RFC 1738
 * §3.4.9.
 */
function encodeFormRequest(
  fields: readonly string[],
  form: RegExpExecArray,
  note: string,
  requestOptions: GopherPlanOptions,
): EncodedGopherRequest {
  const [block, view = "", values = ""] = form;
  if (requestOptions.allowForms !== true) {
    const advice = "set the option allowForms to submit the form";
    throw new AccessError("refused-characters", "the Gopher+ string submits a form", { advice });
  }
  rejectControlBytes(latin1ToBytes(view), "view", requestOptions);
  const lines = values.split(CRLF);
  for (const value of lines) rejectControlBytes(latin1ToBytes(value), "form", requestOptions);
  if (lines.includes("."))
    throw new AccessError(
      "refused-characters",
      "the Gopher+ string contains text after the final dot of the form",
    );
  const head = escapeForPlan([...fields, `+${view}`].join(TAB_CHARACTER));
  return {
    bytes: latin1ToBytes([...fields, block].join(TAB_CHARACTER)),
    description: `${head}<tab>1<cr><lf>+-1<cr><lf>${PASSWORD_MASK}<cr><lf>.<cr><lf>${note}`,
    rfcSection: "3.4.9",
    containsFormValues: true,
  };
}

/** Matches a field of a gopher URL that needs no decoding and contains no tab, CR or LF. */
const PLAIN_ASCII_TEXT = /^[!-$&-~]*$/;

/**
 * Decodes a field of the request to one character per byte. Rejects a tab, which ends a field, and CR and LF, which
 * end the request. RFC 1436 §2.
 */
function decodeRequestField(
  component: string | undefined,
  name: string,
  requestOptions: GopherPlanOptions,
): string {
  if (component === undefined || PLAIN_ASCII_TEXT.test(component)) return component ?? "";
  const bytes = percentDecode(component);
  if (bytes.includes(TAB_CHARACTER.charCodeAt(0))) {
    const reason = `the ${name} contains a tab, which separates the fields of a request`;
    throw new AccessError("refused-characters", reason);
  }
  return bytesToLatin1(rejectControlBytes(bytes, name, requestOptions));
}

function getRfcSection(plus: string): string {
  if (plus === "+") return "3.4.4";
  if (plus === "!" || plus === "$") return "3.4.6";
  if (/^[!$]/.test(plus)) return "3.4.7";
  return plus.startsWith("+") ? "3.4.8" : "3.4.3";
}

const CONTROL_CHARACTER_NAMES: Readonly<Record<string, string>> = {
  "\t": "<tab>",
  "\r": "<cr>",
  "\n": "<lf>",
};

/**
 * Returns the text of the bytes with control characters as in RFC 1738 §3.4.9, such as `<tab>`. A control character
 * without a name is written in hexadecimal, such as `<1B>`.
 */
function escapeForPlan(latin1: string): string {
  return decodeBinaryStringToText(latin1).replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
    return CONTROL_CHARACTER_NAMES[character] ?? `<${hex}>`;
  });
}
