import { percentDecodeText, type Syntax, type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import { escapeControls } from "@anyscheme/core/text";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { formatSyntaxFault } from "../errors/error-report.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { describeOtherParserReadings } from "../output/other-parser-readings.ts";
import { type CliIo, writeLines } from "../terminal/cli-io.ts";

/** A component of a URL, such as the host or the path. */
interface UrlComponent {
  readonly name: string;
  /** The component as it is written in the URL. */
  readonly text: string;
  /** The percent-decoded component. Undefined if the decoded text equals the text of the component. */
  readonly decoded?: string;
}

interface UrlDescription {
  readonly url: Url;
  readonly inputText: string;
  readonly components: readonly UrlComponent[];
  /**
   * The URL's fragment, which is the text after the "#". Undefined for a URL without "#", and if the "#" is in the
   * masked password.
   */
  readonly fragment: string | undefined;
  /** The URL in the conforming syntax of RFC 1738, with the password masked. */
  readonly conformingUrl: string;
  /** The normalized URL, which is equal for equivalent URLs, with the password masked. */
  readonly normalizedUrl: string;
}

/**
 * Runs the command `parse`, which shows the components of a URL. Loads the grammar of one scheme only. Throws
 * `UrlSyntaxError` for an invalid URL. With `--json`, the syntax error is also written to standard output.
 */
export async function runParseCommand(
  { operands, optionValues, schemes }: CommandLineWithSchemes,
  io: CliIo,
): Promise<void> {
  const [text = ""] = operands;
  const syntax = await schemes.loadSyntaxForUrl(text);
  const { url, fault } = syntax.tryParse(text, { mode: optionValues.strict ? "rfc1738" : "modern" });
  if (fault) {
    if (optionValues.json) await writeLines(io.stdout, [formatJsonLine({ fault })]);
    throw new UrlSyntaxError(fault);
  }
  const fragment = findFragmentOutsidePassword(url);
  const components = describeUrlComponents(url, fragment);
  const conformingUrl = formatWithMaskedPassword(url, syntax.format(url), syntax);
  const normalizedUrl = formatWithMaskedPassword(url, syntax.normalize(url), syntax);
  const description = { url, inputText: text, components, fragment, conformingUrl, normalizedUrl };
  const lines = optionValues.json
    ? [formatUrlAsJson(description)]
    : formatUrlAsText(description, io.stdout.columns, schemes.names);
  await writeLines(io.stdout, lines);
}

function formatUrlAsText(
  { url, inputText, components, conformingUrl, normalizedUrl }: UrlDescription,
  columns: number,
  schemeNames: readonly string[],
): string[] {
  const width = Math.max(...components.map(({ name }) => name.length), "conforms as".length);
  const row = (name: string, value: string): string =>
    `${name.padEnd(width)}  ${escapeControls(value)}`.trimEnd();
  return [
    ...components.map((component) => row(component.name, formatComponent(component))),
    ...(conformingUrl === String(url) ? [] : [row("conforms as", conformingUrl)]),
    ...(normalizedUrl === conformingUrl ? [] : [row("normal form", normalizedUrl)]),
    ...describeOtherParserReadings(url.parserDifferences).map((reading) => row("warning", reading)),
    ...url.deviations.flatMap((deviation) => [
      "",
      ...formatSyntaxFault(deviation, inputText, columns, schemeNames),
    ]),
  ];
}

function formatComponent({ text, decoded }: UrlComponent): string {
  if (text === "") return "(empty)";
  return decoded === undefined ? text : `${text}  = ${decoded}`;
}

function formatUrlAsJson({
  url,
  components,
  fragment,
  conformingUrl,
  normalizedUrl,
}: UrlDescription): string {
  return formatJsonLine({
    url,
    components: url.components(),
    effectivePort: readEffectivePort(url),
    fragment,
    decoded: Object.fromEntries(
      components.flatMap(({ name, decoded }) => (decoded === undefined ? [] : [[name, decoded]])),
    ),
    conforming: conformingUrl,
    normal: normalizedUrl,
    parserDifferences: url.parserDifferences,
    deviations: url.deviations,
  });
}

function describeUrlComponents(url: Url, fragment: string | undefined): UrlComponent[] {
  const components = Object.entries(url.components()).flatMap(([name, value]) =>
    flattenUrlComponent(name, value),
  );
  const port = readEffectivePort(url);
  const isDefaultPort = port !== undefined && !components.some(({ name }) => name === "port");
  return [
    ...components,
    ...(isDefaultPort ? [{ name: "port", text: `${port} (default)` }] : []),
    ...(fragment === undefined ? [] : [{ name: "fragment", text: fragment }]),
  ];
}

/** Returns a component, or a component for each member of a list such as the path segments. */
function flattenUrlComponent(name: string, value: unknown): UrlComponent[] {
  if (value === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((member: unknown, index) => flattenUrlComponent(`${name}[${index}]`, member));
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const decoded = percentDecodeText(text);
  return [decoded === text ? { name, text } : { name, text, decoded }];
}

function readEffectivePort(url: Url): number | undefined {
  const port = "effectivePort" in url ? url.effectivePort : undefined;
  return typeof port === "number" && port > 0 ? port : undefined;
}

/** Returns the fragment, or `undefined` if the "#" is in the masked password, as in `joe:se#same@h.example`. */
function findFragmentOutsidePassword(url: Url): string | undefined {
  return url.fragment !== undefined && String(url).endsWith(`#${url.fragment}`) ? url.fragment : undefined;
}

/**
 * Masks the password in the normalized or the conforming text of a URL. Parses this text again, because only
 * `String(url)` masks the password. If the password contains a "#", a text without the fragment may end inside the
 * password.
 */
function formatWithMaskedPassword(url: Url, text: string, syntax: Syntax): string {
  if (url.fragment !== findFragmentOutsidePassword(url)) return String(url);
  return String(text === url.href ? url : syntax.parse(text, { maxLength: Infinity }));
}
