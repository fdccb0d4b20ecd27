import { decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";
import { UrlSyntaxError } from "@anyscheme/core";
import { waisSyntax, type WaisUrl } from "../syntax.ts";

/** The description of a database, a document of type WSRC. Every field may be missing. */
export interface WaisSource {
  readonly database: string | undefined;
  /** The host name, or the address if there is no name. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly description: string | undefined;
  readonly maintainer: string | undefined;
  readonly keywords: readonly string[];
  readonly cost: string | undefined;
  readonly costUnit: string | undefined;
  /** The URL of the database, if the host is valid in a URL. */
  readonly url: WaisUrl | undefined;
  /** The reason why the text of the description is invalid. The fields contain the valid part. */
  readonly fault: string | undefined;
}

/**
 * Matches blanks, and then a string, a parenthesis or a word. A string may contain `\"` and `\\`, and may lack the
 * final quote.
 */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)("|\\?$)|([()])|([^\s()"]+))/gsy;

/** Parses `(:source :version 3 :ip-name "…" …)`. Returns `undefined` for any other text. */
export function parseWaisSource(bytes: Uint8Array): WaisSource | undefined {
  const read = parseFields(decodeUtf8OrLatin1(bytes));
  if (!read) return undefined;
  const { fields, fault } = read;
  const one = (name: string): string | undefined => fields.get(name)?.join(" ");
  const host = one("ip-name") || one("ip-address");
  const database = one("database-name");
  const port = one("tcp-port");
  const trimmed = (name: string): string | undefined => one(name)?.trim();
  return {
    database,
    host,
    port,
    description: trimmed("description"),
    maintainer: trimmed("maintainer"),
    keywords: fields.get("keyword-list") ?? [],
    cost: one("cost"),
    costUnit: one("cost-unit")?.replace(/^:/, ""),
    url: buildUrl(host, port, database),
    fault,
  };
}

/** Returns the words and strings after each `:name` of the outermost list. */
function parseFields(
  text: string,
): { fields: ReadonlyMap<string, readonly string[]>; fault: string | undefined } | undefined {
  const fields = new Map<string, string[]>();
  let fault: string | undefined;
  let name = "";
  let values: string[] = [];
  let depth = 0;
  for (const { quoted, isOpen, word, parenthesis } of tokenize(text)) {
    if (isOpen) fault = "a quotation mark is not closed";
    if (parenthesis !== undefined) depth += parenthesis === "(" ? 1 : -1;
    if (depth <= 0) break;
    if (parenthesis !== undefined) continue;
    // The value of ":cost-unit" begins with a colon too, as in ":cost-unit :free".
    const isValue = quoted !== undefined || depth > 1 || (name === "cost-unit" && values.length === 0);
    if (word?.startsWith(":") && !isValue) {
      name = word.slice(1).toLowerCase();
      values = [];
      fields.set(name, values);
    } else {
      values.push(quoted ?? word ?? "");
    }
  }
  if (depth > 0) fault ??= "a parenthesis is not closed";
  return fields.has("source") ? { fields, fault } : undefined;
}

interface Token {
  readonly quoted: string | undefined;
  /** True for a string without its final quote. */
  readonly isOpen: boolean;
  readonly parenthesis: string | undefined;
  readonly word: string | undefined;
}

/** Splits the text into tokens. */
function* tokenize(text: string): Generator<Token> {
  for (const [, quoted, end, parenthesis, word] of text.matchAll(TOKEN)) {
    const isOpen = quoted !== undefined && end !== '"';
    yield { quoted: quoted?.replace(/\\(.)/gs, "$1"), isOpen, parenthesis, word };
  }
}

function buildUrl(
  host: string | undefined,
  port: string | undefined,
  database: string | undefined,
): WaisUrl | undefined {
  if (!host || database === undefined) return undefined;
  try {
    return waisSyntax.build({ host, port, database });
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}
