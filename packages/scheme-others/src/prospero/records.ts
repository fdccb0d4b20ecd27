import { AccessError } from "@anyscheme/core";
import { endsQuoted, tokensOf } from "./quoting.ts";
import { wordsOf } from "./text.ts";

/** Where something is, as a Prospero server says it; strings have one character an octet. */
export interface Place {
  /** `INTERNET-D`, or `VIRTUAL-SYSTEM`. */
  readonly hostType: string;
  readonly host: string;
  /** Behind the host, in parentheses. */
  readonly port: number | undefined;
  readonly nameType: string;
  readonly hsoname: string;
}

export interface Link {
  readonly kind: "link";
  /** Whether the contents of its target belong to this directory. */
  readonly union: boolean;
  /** `FILE DIRECTORY DIRECTORY+FILE OBJECT EXTERNAL SYMBOLIC FP NULL`. */
  readonly target: string;
  readonly name: string;
  readonly place: Place;
  readonly version: string;
}

export interface Attribute {
  readonly kind: "attribute";
  /** `OBJECT LINK CACHED REPLACEMENT ADDITIONAL`. */
  readonly precedence: string;
  /** `INTRINSIC APPLICATION FIELD`. */
  readonly nature: string;
  readonly name: string;
  readonly values: readonly string[];
}

/** One line of a reply. */
export type Line =
  | Link
  | Attribute
  | { readonly kind: "unresolved"; readonly components: readonly string[] }
  | { readonly kind: "forwarded"; readonly place: Place; readonly version: string }
  | { readonly kind: "failure"; readonly code: string; readonly words: string }
  | { readonly kind: "none-found" | "success" | "remark" };

const REMARK: Line = { kind: "remark" };

/** The types of a value, one of which follows the name of an attribute; behind the name of a field there is none in practice. */
const VALUE_TYPES: ReadonlySet<string> = new Set(["SEQUENCE", "LINK", "FILTER"]);

type Reader = (tokens: readonly string[], line: string) => Line;

const failure: Reader = ([first = "", ...said], line) => {
  // The original writes some of its words without quotes; an apostrophe in them opens nothing.
  const text = endsQuoted(line) ? line.slice(line.indexOf(first) + first.length) : said.join(" ");
  return { kind: "failure", code: first === "FAILURE" ? (said[0] ?? "") : first, words: wordsOf(text) };
};

/** The lines that a reply may have, by their first token. What is not here is for people. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["LINK", linkOf],
  ["ATTRIBUTE", attributeOf],
  ["ID", ([, ...values]) => ({ kind: "attribute", precedence: "LINK", nature: "FIELD", name: "ID", values })],
  ["UNRESOLVED", ([, ...components]) => ({ kind: "unresolved", components })],
  ["FORWARDED", forwardedOf],
  ["NONE-FOUND", () => ({ kind: "none-found" })],
  ["SUCCESS", () => ({ kind: "success" })],
  ["FAILURE", failure],
  ["ERROR", failure],
  ["VERSION-NOT-SUPPORTED", failure],
]);

/** Whether a logical line is an attribute, by its first octets: most lines of a listing are, and few of them are looked at. */
export function isAttribute(line: string): boolean {
  return line.startsWith("ATTRIBUTE ") || line.startsWith("ID ");
}

/** The attributes in logical lines. */
export function attributesIn(lines: readonly string[]): Attribute[] {
  return lines.map(readLine).filter((line): line is Attribute => line.kind === "attribute");
}

/** Reads a logical line. Throws `protocol` for one that lacks what its kind has to have. */
export function readLine(line: string): Line {
  const tokens = tokensOf(line);
  return READERS.get(tokens[0] ?? "")?.(tokens, line) ?? REMARK;
}

function linkOf(tokens: readonly string[], line: string): Line {
  const [, type = "", target = "", name = ""] = tokens;
  const place = placeOf(tokens, 4);
  if (!place || (type !== "L" && type !== "U")) throw garbled(line);
  return { kind: "link", union: type === "U", target, name, place, version: tokens[8] ?? "0" };
}

/** One that lacks fields tells nothing. */
function attributeOf(tokens: readonly string[]): Line {
  const [, precedence, nature, name] = tokens;
  if (precedence === undefined || nature === undefined || name === undefined) return REMARK;
  const values = tokens.slice(VALUE_TYPES.has(tokens[4] ?? "") ? 5 : 4);
  return { kind: "attribute", precedence, nature, name, values };
}

function forwardedOf(tokens: readonly string[], line: string): Line {
  const place = placeOf(tokens, 1);
  if (!place) throw garbled(line);
  return { kind: "forwarded", place, version: tokens[5] ?? "0" };
}

/** Host type, host with its port, name type and name, from this token on. "No parentheses" means the default port. */
export function placeOf(tokens: readonly string[], at: number): Place | undefined {
  const hostType = tokens[at];
  const text = tokens[at + 1];
  const nameType = tokens[at + 2];
  const hsoname = tokens[at + 3];
  if (hostType === undefined || text === undefined || nameType === undefined || hsoname === undefined)
    return undefined;
  const open = text.endsWith(")") ? text.lastIndexOf("(") : -1;
  const digits = open < 0 ? "" : text.slice(open + 1, -1);
  if (!/^\d{1,5}$/.test(digits)) return { hostType, host: text, port: undefined, nameType, hsoname };
  return { hostType, host: text.slice(0, open), port: Number(digits), nameType, hsoname };
}

function garbled(line: string): AccessError {
  return new AccessError(
    "protocol",
    `the server sends a line that lacks fields: ${wordsOf(line.slice(0, 200))}`,
  );
}
