import type { ParserDifference, Url } from "@anyscheme/core/syntax";

const PARSER_NAMES: Readonly<Record<ParserDifference["parser"], string>> = {
  "RFC 3986": "RFC 3986",
  "WHATWG URL": "the WHATWG URL Standard",
};

/**
 * Describes how other standards read a URL, as in `RFC 3986 reads the host as h`. URL standards with the same reading
 * share a sentence. When another standard reads another host, the sentence names only the host, and not the port.
 */
export function describeOtherParserReadings(readings: readonly ParserDifference[]): string[] {
  const groups = Map.groupBy(readings, (reading) => describeHostOrPortAndTarget(reading));
  return [...groups].map(([parts, group]) => {
    const names = group.map(({ parser }) => PARSER_NAMES[parser]).join(" and ");
    return `${names} ${group.length === 1 ? "reads" : "read"} ${parts}`;
  });
}

/**
 * Describes a URL with two hosts or ports, as in `RFC 1738 reads the host as evil, but RFC 3986 reads the host as
 * good`. Returns `undefined` if all standards read the same host and port.
 */
export function describeAmbiguousHostOrPort(url: Url): string | undefined {
  const others = url.parserDifferences.filter(({ host, port }) => host !== undefined || port !== undefined);
  const [first] = others;
  if (!first) return undefined;
  const own = first.host === undefined ? describePort(url) : describeHost(url.components()["host"]);
  return formatReadingDifference(own, describeOtherParserReadings(others));
}

/**
 * Describes a text with a "?" in its login, which modern mode rejects. Later standards end the host at the "?", which
 * has the offset `questionMark`.
 */
export function describeQuestionMarkInLogin(text: string, questionMark: number): string {
  const start = text.indexOf("//") + 2;
  const end = start + text.slice(start).search(/[/#]|$/);
  const host = extractHostFromAuthority(text.slice(start, end));
  const other = extractHostFromAuthority(text.slice(start, questionMark));
  const parsers = ["RFC 3986", "WHATWG URL"] as const;
  return formatReadingDifference(
    describeHost(host),
    describeOtherParserReadings(parsers.map((parser) => ({ parser, host: other }))),
  );
}

function formatReadingDifference(own: string, others: readonly string[]): string {
  return `RFC 1738 reads ${own}, but ${others.join(", and ")}`;
}

function describeHostOrPortAndTarget({ host, port, requestTarget }: ParserDifference): string {
  if (host !== undefined) return describeHost(host);
  const parts = [
    ...(port === undefined ? [] : [`the port as ${port}`]),
    ...(requestTarget === undefined ? [] : [`the request target as ${requestTarget}`]),
  ];
  return parts.join(" and ");
}

function describeHost(host: unknown): string {
  return typeof host === "string" && host !== "" ? `the host as ${host}` : "no host";
}

function describePort(url: Url): string {
  return "effectivePort" in url ? `the port as ${String(url.effectivePort)}` : "no port";
}

function extractHostFromAuthority(authority: string): string {
  return /^(?:.*@)?(\[[^\]]*\]|[^:]*)/s.exec(authority)?.[1] ?? "";
}
