import { AccessError, lineSafe, type PlanOptions } from "@anyscheme/core";
import { decodeOctets, MASK } from "@anyscheme/core/syntax";
import { latin1Of, octetsOf, textOf } from "./charset.ts";
import type { GopherCallOptions } from "./options.ts";
import type { GopherUrl } from "./syntax.ts";

/** What goes to a server, and how a plan shows it. */
export interface GopherRequest {
  readonly octets: Uint8Array;
  /** The request in the notation of RFC 1738 §3.4.9: `<tab>`, `<cr>`, `<lf>`; answers of a form masked. */
  readonly text: string;
  /** The section of RFC 1738 that the request follows. */
  readonly section: string;
  /** Whether the octets hold what a person has filled in. */
  readonly secret: boolean;
}

type RequestOptions = PlanOptions & GopherCallOptions;

const TAB = 0x09;
const CRLF = "\r\n";

/**
 * RFC 1738 §3.4.9, decoded, one character an octet: `+<view><tab>1<cr><lf>+-1<cr><lf>`, the answers, each with its line end,
 * and `.<cr><lf>`.
 */
const formBlock = /^\+([^\t\r\n\0]*)\t1\r\n\+-1\r\n((?:[^\r\n\0]*\r\n)*)\.\r\n$/;

/**
 * The encoder: the only place where the octets of a request are made. Throws `refused-octets` for everything that a server
 * could take for the end of a field or of the request. RFC 1738 §3.4, §6.
 */
export function encodeRequest(url: GopherUrl, options: RequestOptions): GopherRequest {
  field(url.type, "gophertype", options);
  const parts = [field(url.selector, "selector", options)];
  const search = field(url.search, "search string", options);
  if (url.plus === undefined) {
    if (url.search !== undefined) parts.push(search);
    return line(parts, url.search === undefined ? "3.4.1" : "3.4.2");
  }
  const sendsSearch = search.length > 0 || url.itemType === "7" || options.emptySearch === "send";
  if (sendsSearch) parts.push(search);
  const note = sendsSearch ? "" : ", the empty search string left out";
  const form = formBlock.exec(latin1Of(decodeOctets(url.plus)));
  if (form) return fillIn(parts, form, note, options);
  const plus = field(url.plus, "Gopher+ string", options);
  // RFC 1738 §3.4.5: items tagged "?" "require the client to fetch the item's +ASK attribute to get the form definition".
  if (latin1Of(plus) === "?")
    return line([...parts, octetsOf("!+ASK")], "3.4.5", `${note}, which asks for the form`);
  return line([...parts, plus], plusSection(latin1Of(plus)), note);
}

function line(fields: readonly Uint8Array[], section: string, note = ""): GopherRequest {
  const octets = Buffer.concat([joined(fields), octetsOf(CRLF)]);
  return { octets, text: shown(octets) + note, section, secret: false };
}

/** The octets of a filled-in form, which end with a line end of their own. RFC 1738 §3.4.9. */
function fillIn(
  fields: readonly Uint8Array[],
  form: RegExpExecArray,
  note: string,
  options: RequestOptions,
): GopherRequest {
  const [block, view = "", answers = ""] = form;
  if (options.allowForms !== true) {
    const advice = "the option allowForms lets the answers of a form through";
    throw new AccessError("refused-octets", "the Gopher+ string is a filled-in form", { advice });
  }
  lineSafe(octetsOf(view), "view", options);
  const lines = answers.split(CRLF);
  for (const answer of lines) lineSafe(octetsOf(answer), "form", options);
  if (lines.includes(".")) throw new AccessError("refused-octets", "the form goes on behind its final dot");
  const before = joined([...fields, octetsOf(`+${view}`)]);
  return {
    octets: Buffer.concat([joined(fields), Uint8Array.of(TAB), octetsOf(block)]),
    text: `${shown(before)}<tab>1<cr><lf>+-1<cr><lf>${MASK}<cr><lf>.<cr><lf>${note}`,
    section: "3.4.9",
    secret: true,
  };
}

/** The octets of a field, which no delimiter of the protocol may be part of. RFC 1436 §2: a tab ends a field, CR LF the request. */
function field(component: string | undefined, what: string, options: RequestOptions): Uint8Array {
  const octets = decodeOctets(component ?? "");
  if (octets.includes(TAB)) {
    throw new AccessError(
      "refused-octets",
      `the ${what} holds a tab, which separates the fields of a request`,
    );
  }
  return lineSafe(octets, what, options);
}

function plusSection(plus: string): string {
  if (plus === "+") return "3.4.4";
  if (plus === "!" || plus === "$") return "3.4.6";
  if (/^[!$]/.test(plus)) return "3.4.7";
  return plus.startsWith("+") ? "3.4.8" : "3.4.3";
}

function joined(fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap((octets, index) => (index === 0 ? [octets] : [Uint8Array.of(TAB), octets])),
  );
}

const NAMES: Readonly<Record<string, string>> = { "\t": "<tab>", "\r": "<cr>", "\n": "<lf>" };

function shown(octets: Uint8Array): string {
  const name = (character: string): string => {
    const hex = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
    return NAMES[character] ?? `<${hex}>`;
  };
  return textOf(octets).replace(/[\x00-\x1f\x7f-\x9f]/g, name);
}
