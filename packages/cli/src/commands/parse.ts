import type { Deviation, ParseResult, Syntax, Url } from "@anyscheme/core/syntax";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { formatFault } from "../errors/error-report.ts";
import { loadSyntaxFor } from "../client/scheme-packages.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** One component: as written, and decoded where that differs. */
interface Component {
  readonly name: string;
  readonly text: string;
  readonly decoded?: string;
}

/** Performs `parse`. Loads nothing but the grammar. Throws `UrlSyntaxError`; with `--json` the fault is on standard output as well. */
export async function parse({ operands, values }: CommandLine, io: CliIo): Promise<void> {
  const { percentDecodeText: decodeText, UrlSyntaxError } = await import("@anyscheme/core/syntax");
  for (const text of operands) {
    const syntax = await loadSyntaxFor(text);
    const { url, fault }: ParseResult = syntax.tryParse(text, {
      mode: values.strict ? "strict" : "tolerant",
    });
    if (fault) {
      if (values.json) await writeLines(io.stdout, [jsonLine({ fault })]);
      throw new UrlSyntaxError(fault);
    }
    const components = describeComponents(url, decodeText);
    const conforming = maskPassword(url, syntax.format(url), syntax);
    const normal = maskPassword(url, syntax.normalize(url), syntax);
    const description = { url, text, components, conforming, normal };
    await writeLines(
      io.stdout,
      values.json
        ? [formatDescriptionAsJson(description)]
        : formatDescription(description, io.stdout.columns),
    );
  }
}

interface Description {
  readonly url: Url;
  readonly text: string;
  readonly components: readonly Component[];
  /** The URL as RFC 1738 writes it; the password masked. */
  readonly conforming: string;
  /** The normal form, which equivalent URLs have in common; the password masked. */
  readonly normal: string;
}

function formatDescription(
  { url, text, components, conforming, normal }: Description,
  columns: number,
): string[] {
  const width = Math.max(...components.map(({ name }) => name.length), "conforms as".length);
  const row = (name: string, value: string): string =>
    `${name.padEnd(width)}  ${escapeControls(value)}`.trimEnd();
  return [
    ...components.map(({ name, text: written, decoded }) =>
      row(name, written === "" ? "(empty)" : decoded === undefined ? written : `${written}  = ${decoded}`),
    ),
    ...(conforming === String(url) ? [] : [row("conforms as", conforming)]),
    ...(normal === conforming ? [] : [row("normal form", normal)]),
    ...url.readings.map(({ reader, host }) => row("beware", `a reader by ${reader} sees the host ${host}`)),
    ...url.deviations.flatMap((deviation) => ["", ...formatFault(deviation, text, columns)]),
  ];
}

function formatDescriptionAsJson({ url, components, conforming, normal }: Description): string {
  return jsonLine({
    url,
    components: url.components(),
    effectivePort: portOf(url),
    fragment: url.fragment,
    decoded: Object.fromEntries(
      components.flatMap(({ name, decoded }) => (decoded === undefined ? [] : [[name, decoded]])),
    ),
    conforming,
    normal,
    readings: url.readings,
    deviations: url.deviations satisfies readonly Deviation[],
  });
}

function describeComponents(url: Url, decodeText: (component: string) => string): Component[] {
  const rows = Object.entries(url.components()).flatMap(([name, value]): Component[] =>
    toComponents(name, value, decodeText),
  );
  const port = portOf(url);
  const supplied = port !== undefined && !rows.some(({ name }) => name === "port");
  const fragment = url.fragment === undefined ? [] : [{ name: "fragment", text: url.fragment }];
  return [...rows, ...(supplied ? [{ name: "port", text: `${port} by default` }] : []), ...fragment];
}

/** A list has a row for each member, so that empty ones are seen. */
function toComponents(name: string, value: unknown, decodeText: (component: string) => string): Component[] {
  if (value === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((member: unknown, index) => toComponents(`${name}[${index}]`, member, decodeText));
  const written = typeof value === "string" ? value : JSON.stringify(value);
  const decoded = decodeText(written);
  return [decoded === written ? { name, text: written } : { name, text: written, decoded }];
}

function portOf(url: Url): number | undefined {
  const port = "effectivePort" in url ? url.effectivePort : undefined;
  return typeof port === "number" && port > 0 ? port : undefined;
}

/** Another text of a URL without its password. Read again, for only a `Url` can write itself so. */
function maskPassword(url: Url, text: string, syntax: Syntax): string {
  return String(text === url.href ? url : syntax.parse(text, { maxLength: Infinity }));
}
