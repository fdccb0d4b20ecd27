import { AccessError } from "@anyscheme/core";
import { rejectControlBytes, type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode, MASK } from "@anyscheme/core/syntax";
import { decoded, bytesToLatin1, latin1ToBytes } from "./charset.ts";
import type { GopherRequestOptions } from "./options.ts";
import { type GopherUrl, itemTypeIn } from "./syntax.ts";

/** What goes to a server, and how a plan shows it. */
export interface GopherRequest {
  readonly bytes: Uint8Array;
  /** The request in the notation of RFC 1738 §3.4.9: `<tab>`, `<cr>`, `<lf>`; answers of a form masked. */
  readonly text: string;
  /** The section of RFC 1738 that the request follows. */
  readonly section: string;
  /** Whether the bytes hold what a person has filled in. */
  readonly secret: boolean;
}

type RequestOptions = PlanOptions & GopherRequestOptions;

const TAB = "\t";
const CRLF = "\r\n";

/**
 * RFC 1738 §3.4.9, decoded, one character a byte: `+<view><tab>1<cr><lf>+-1<cr><lf>`, the answers, each with its line end,
 * and `.<cr><lf>`.
 */
const formBlock = /^\+([^\t\r\n\0]*)\t1\r\n\+-1\r\n((?:[^\r\n\0]*\r\n)*)\.\r\n$/;

/**
 * The encoder: the only place where the bytes of a request are made. Throws `refused-characters` for everything that a server
 * could take for the end of a field or of the request. RFC 1738 §3.4, §6.
 */
export function encodeRequest({ fields }: GopherUrl, options: RequestOptions): GopherRequest {
  field(fields.type, "gophertype", options);
  const parts = [field(fields.selector, "selector", options)];
  const search = field(fields.search, "search string", options);
  if (fields.plus === undefined) {
    if (fields.search !== undefined) parts.push(search);
    return line(parts, fields.search === undefined ? "3.4.1" : "3.4.2");
  }
  const sendsSearch = search !== "" || itemTypeIn(fields) === "7" || options.emptySearch === "send";
  if (sendsSearch) parts.push(search);
  const note = sendsSearch ? "" : ", the empty search string left out";
  const form = formBlock.exec(bytesToLatin1(percentDecode(fields.plus)));
  if (form) return fillIn(parts, form, note, options);
  const plus = field(fields.plus, "Gopher+ string", options);
  // RFC 1738 §3.4.5: items tagged "?" "require the client to fetch the item's +ASK attribute to get the form definition". Servers
  // are in use that know no names behind the "!", and take such a request for the item itself.
  if (plus === "?")
    return line([...parts, "!"], "3.4.5", `${note}, which asks for the form among the attributes`);
  return line([...parts, plus], plusSection(plus), note);
}

/** A request of one line. The fields are given as one character a byte. */
function line(fields: readonly string[], section: string, note = ""): GopherRequest {
  const request = fields.join(TAB);
  return {
    bytes: latin1ToBytes(request + CRLF),
    text: `${shown(request)}<cr><lf>${note}`,
    section,
    secret: false,
  };
}

/** The bytes of a filled-in form, which end with a line end of their own. RFC 1738 §3.4.9. */
function fillIn(
  fields: readonly string[],
  form: RegExpExecArray,
  note: string,
  options: RequestOptions,
): GopherRequest {
  const [block, view = "", answers = ""] = form;
  if (options.allowForms !== true) {
    const advice = "the option allowForms lets the answers of a form through";
    throw new AccessError("refused-characters", "the Gopher+ string is a filled-in form", { advice });
  }
  rejectControlBytes(latin1ToBytes(view), "view", options);
  const lines = answers.split(CRLF);
  for (const answer of lines) rejectControlBytes(latin1ToBytes(answer), "form", options);
  if (lines.includes("."))
    throw new AccessError("refused-characters", "the form goes on behind its final dot");
  const before = shown([...fields, `+${view}`].join(TAB));
  return {
    bytes: latin1ToBytes([...fields, block].join(TAB)),
    text: `${before}<tab>1<cr><lf>+-1<cr><lf>${MASK}<cr><lf>.<cr><lf>${note}`,
    section: "3.4.9",
    secret: true,
  };
}

/** Characters of a component that stand for themselves and are no delimiter of any protocol. */
const plain = /^[!-$&-~]*$/;

/**
 * The bytes of a field, one character a byte. No delimiter of the protocol may be part of them. RFC 1436 §2: a tab ends a field,
 * CR LF the request.
 */
function field(component: string | undefined, what: string, options: RequestOptions): string {
  if (component === undefined || plain.test(component)) return component ?? "";
  const bytes = percentDecode(component);
  if (bytes.includes(TAB.charCodeAt(0))) {
    throw new AccessError(
      "refused-characters",
      `the ${what} holds a tab, which separates the fields of a request`,
    );
  }
  return bytesToLatin1(rejectControlBytes(bytes, what, options));
}

function plusSection(plus: string): string {
  if (plus === "+") return "3.4.4";
  if (plus === "!" || plus === "$") return "3.4.6";
  if (/^[!$]/.test(plus)) return "3.4.7";
  return plus.startsWith("+") ? "3.4.8" : "3.4.3";
}

const NAMES: Readonly<Record<string, string>> = { "\t": "<tab>", "\r": "<cr>", "\n": "<lf>" };

function shown(latin1: string): string {
  const text = decoded(latin1);
  if (/^[ -~]*$/.test(text)) return text;
  const name = (character: string): string => {
    const hex = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
    return NAMES[character] ?? `<${hex}>`;
  };
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, name);
}
