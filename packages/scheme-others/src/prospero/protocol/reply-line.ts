import { AccessError } from "@anyscheme/core";
import { serverText } from "@anyscheme/core/plugin";
import { endsQuoted, tokensOf } from "./quoting.ts";
import { wordsOf } from "./text.ts";

/** Where something is, as a Prospero server says it; strings have one character a byte. */
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
  /** What is wrong with the line, or why the directory that it names could not be read. */
  readonly fault?: string | undefined;
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
  | { readonly kind: "warning"; readonly code: string; readonly words: string }
  | { readonly kind: "none-found" | "success" | "remark" };

const REMARK: Line = { kind: "remark" };

/** The types of a value, one of which follows the name of an attribute; behind the name of a field there is none in practice. */
const VALUE_TYPES: ReadonlySet<string> = new Set(["SEQUENCE", "LINK", "FILTER"]);

type Reader = (tokens: readonly string[], line: string) => Line;

const failure: Reader = (tokens, line) => {
  const [first = "", second = ""] = tokens;
  return {
    kind: "failure",
    code: first === "FAILURE" ? second : first,
    words: textBehindFirst(tokens, line),
  };
};

const warning: Reader = (tokens, line) => ({
  kind: "warning",
  code: tokens[1] ?? "",
  words: textBehindFirst(tokens, line),
});

/** The text behind the first token, without its quotes. The original writes some texts unquoted, apostrophes included. */
function textBehindFirst([first = "", ...others]: readonly string[], line: string): string {
  return wordsOf(endsQuoted(line) ? line.slice(line.indexOf(first) + first.length) : others.join(" "));
}

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
  ["WARNING", warning],
]);

/** Whether a logical line is an attribute, by its first bytes: most lines of a listing are, and few of them are looked at. */
export function isAttribute(line: string): boolean {
  return line.startsWith("ATTRIBUTE ") || line.startsWith("ID ");
}

/** A refusal, or a warning on one line: what the original writes there without quotes may have an apostrophe. */
const WORDS = /^(?:(?:FAILURE|ERROR|VERSION-NOT-SUPPORTED)\b|WARNING\b[^\n]*\n?$)/;

/** Throws `protocol` where the last line of a reply ends within a quotation, which swallows all lines behind it. */
export function checkLastLine(line: string): void {
  if (endsQuoted(line) && !WORDS.test(line))
    throw new AccessError("protocol", [
      "the reply ends within a quotation: ",
      serverText(wordsOf(line.slice(0, 200))),
    ]);
}

/** Reads a logical line. Throws `protocol` for one that lacks what its kind has to have; a link has its `fault` instead. */
export function readLine(line: string): Line {
  const tokens = tokensOf(line);
  return READERS.get(tokens[0] ?? "")?.(tokens, line) ?? REMARK;
}

const NOWHERE: Place = { hostType: "", host: "", port: undefined, nameType: "", hsoname: "" };

function linkOf(tokens: readonly string[], line: string): Line {
  const [, type = "", target = "", name] = tokens;
  const place = placeOf(tokens, 4);
  const link = { kind: "link", target, name: name ?? line, version: tokens[8] ?? "0" } as const;
  if (place && (type === "L" || type === "U")) return { ...link, union: type === "U", place };
  const fault = place ? "the line has no known type of link" : "the line has no host and object name";
  return { ...link, union: false, place: NOWHERE, fault };
}

function attributeOf(tokens: readonly string[], line: string): Line {
  const [, precedence, nature, name] = tokens;
  if (precedence === undefined || nature === undefined || name === undefined) throw garbled(line);
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
  return new AccessError("protocol", [
    "the server sends a line that lacks fields: ",
    serverText(wordsOf(tokensOf(line).join(" ").slice(0, 200))),
  ]);
}
