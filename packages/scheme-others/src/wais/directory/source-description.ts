import { UrlSyntaxError } from "@anyscheme/core";
import { decodeUtf8OrLatin1 } from "../charset.ts";
import { waisSyntax, type WaisUrl } from "../syntax.ts";

/** What a document of type WSRC says of a database. Everything may be missing. */
export interface WaisSource {
  readonly database: string | undefined;
  /** The host by its name, or by its address where it has none. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly description: string | undefined;
  readonly maintainer: string | undefined;
  readonly keywords: readonly string[];
  readonly cost: string | undefined;
  readonly costUnit: string | undefined;
  /** The database as a URL, when there is a host that can stand in one. */
  readonly url: WaisUrl | undefined;
  /** What is wrong with the text of the description. The fields have what could be read. */
  readonly fault: string | undefined;
}

/** Behind blanks, a string with `\"` and `\\` in it, which may lack its end, a parenthesis, or a bare word. */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)("|\\?$)|([()])|([^\s()"]+))/gsy;

/** The fields of `(:source :version 3 :ip-name "…" …)`; of a list, its members. `undefined` for what is no such description. */
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

/** The words and strings behind each `:name` of the outermost list. */
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
    // The unit of the cost is written like a name, as in ":cost-unit :free".
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
  /** Whether the string has no end. */
  readonly isOpen: boolean;
  readonly parenthesis: string | undefined;
  readonly word: string | undefined;
}

/** The tokens up to the end. */
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
