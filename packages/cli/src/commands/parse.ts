import type { Deviation, ParseResult, Syntax, Url } from "@anyscheme/core/syntax";
import type { CommandLine } from "../command-line.ts";
import { faultLines } from "../report.ts";
import { syntaxFor } from "../schemes.ts";
import { type Io, writeLines } from "../terminal.ts";
import { visible } from "../visible.ts";

/** One component: as written, and decoded where that differs. */
interface Component {
  readonly name: string;
  readonly written: string;
  readonly decoded?: string;
}

/** Performs `parse`. Loads nothing but the grammar. Throws `UrlSyntaxError`; with `--json` the fault is on standard output as well. */
export async function parse({ operands, values }: CommandLine, io: Io): Promise<void> {
  const { decodeText, UrlSyntaxError } = await import("@anyscheme/core/syntax");
  for (const text of operands) {
    const syntax = await syntaxFor(text);
    const { url, fault }: ParseResult = syntax.tryParse(text, {
      mode: values.strict ? "strict" : "tolerant",
    });
    if (fault) {
      if (values.json) await writeLines(io.stdout, [JSON.stringify({ fault })]);
      throw new UrlSyntaxError(fault);
    }
    const components = componentsOf(url, decodeText);
    const description = { url, text, components, formatted: formatted(url, syntax) };
    await writeLines(
      io.stdout,
      values.json ? [jsonOf(description)] : linesOf(description, io.stdout.columns),
    );
  }
}

interface Description {
  readonly url: Url;
  readonly text: string;
  readonly components: readonly Component[];
  /** The URL as RFC 1738 writes it, where it is written otherwise; the password masked. */
  readonly formatted: string | undefined;
}

function linesOf({ url, text, components, formatted: conforming }: Description, columns: number): string[] {
  const width = Math.max(...components.map(({ name }) => name.length), "conforms as".length);
  const row = (name: string, value: string): string => `${name.padEnd(width)}  ${visible(value)}`.trimEnd();
  return [
    ...components.map(({ name, written, decoded }) =>
      row(name, written === "" ? "(empty)" : decoded === undefined ? written : `${written}  = ${decoded}`),
    ),
    ...(conforming === undefined ? [] : [row("conforms as", conforming)]),
    ...url.readings.map(({ reader, host }) => row("beware", `a reader by ${reader} sees the host ${host}`)),
    ...url.deviations.flatMap((deviation) => ["", ...faultLines(deviation, text, columns)]),
  ];
}

function jsonOf({ url, components, formatted: conforming }: Description): string {
  return JSON.stringify({
    url,
    components: url.components(),
    effectivePort: portOf(url),
    fragment: url.fragment,
    decoded: Object.fromEntries(
      components.flatMap(({ name, decoded }) => (decoded === undefined ? [] : [[name, decoded]])),
    ),
    conforming: conforming ?? url,
    readings: url.readings,
    deviations: url.deviations satisfies readonly Deviation[],
  });
}

function componentsOf(url: Url, decodeText: (component: string) => string): Component[] {
  const rows = Object.entries(url.components()).flatMap(([name, value]): Component[] =>
    flat(name, value, decodeText),
  );
  const port = portOf(url);
  const supplied = port !== undefined && !rows.some(({ name }) => name === "port");
  const fragment = url.fragment === undefined ? [] : [{ name: "fragment", written: url.fragment }];
  return [...rows, ...(supplied ? [{ name: "port", written: `${port} by default` }] : []), ...fragment];
}

/** A list has a row for each member, so that empty ones are seen. */
function flat(name: string, value: unknown, decodeText: (component: string) => string): Component[] {
  if (value === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((member: unknown, index) => flat(`${name}[${index}]`, member, decodeText));
  const written = typeof value === "string" ? value : JSON.stringify(value);
  const decoded = decodeText(written);
  return [decoded === written ? { name, written } : { name, written, decoded }];
}

function portOf(url: Url): number | undefined {
  const port = "effectivePort" in url ? url.effectivePort : undefined;
  return typeof port === "number" && port > 0 ? port : undefined;
}

/** Read again, for only a `Url` can write itself without its password. */
function formatted(url: Url, syntax: Syntax): string | undefined {
  const text = syntax.format(url);
  return text === url.href ? undefined : String(syntax.parse(text));
}
