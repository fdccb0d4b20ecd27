import { AccessError, type Client, createClient, type Scheme } from "@anyscheme/core";
import { createResolveAndConnectSteps, type Endpoint, createPlan } from "@anyscheme/core/plugin";
import { createGenericSyntax, InternetUrl } from "@anyscheme/core/syntax";
import { ALL_SYNTAXES } from "../fixtures/all-syntaxes.ts";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";
import { type ParsedHostAndPort, WHATWG_AND_RFC3986_PARSERS } from "./whatwg-and-rfc3986-parsers.ts";

/**
 * The outcome of a text that passes the check: refused, dialled at the host that every parser sees, or without a host.
 */
export type HostCheckOutcome = "refused" | "dialled" | "no host";

/** Schemes without a grammar of their own, with and without a default port. */
const SCHEMES_WITHOUT_GRAMMAR: readonly Scheme[] = [
  createSchemeWithoutGrammar("x-any", undefined),
  createSchemeWithoutGrammar("x-finger.1+a", 79),
];

const clientOfSchemesWithoutGrammar: Client = createClient({ schemes: SCHEMES_WITHOUT_GRAMMAR });

/** The names of the schemes whose URLs are compared with other URL parsers. */
export const TESTED_SCHEME_NAMES: readonly string[] = [
  clientOfAllSchemes,
  clientOfSchemesWithoutGrammar,
].flatMap(({ schemes }) => schemes);

const DEFAULT_PORTS: ReadonlyMap<string, number | undefined> = new Map(
  [...ALL_SYNTAXES, ...SCHEMES_WITHOUT_GRAMMAR.map(({ syntax }) => syntax)].flatMap(
    ({ schemes, defaultPort }) => schemes.map((name) => [name, defaultPort] as const),
  ),
);

function createSchemeWithoutGrammar(name: string, defaultPort: number | undefined): Scheme {
  return {
    name,
    syntax: createGenericSyntax({ schemes: [name], ...(defaultPort === undefined ? {} : { defaultPort }) }),
    plan: (url) => createPlan(url, createResolveAndConnectSteps(url as InternetUrl)),
    access: () => {
      throw new AccessError("unsupported", "the scheme has no access method");
    },
  };
}

/**
 * Parses a text in modern mode and compares the host and port of its plan with those that other parsers see. Throws an
 * error when a parser that accepts the text sees another host or port.
 */
export function checkHostAgainstOtherParsers(text: string): HostCheckOutcome {
  const client = /^\s*x-/i.test(text) ? clientOfSchemesWithoutGrammar : clientOfAllSchemes;
  const { url } = client.tryParse(text);
  if (!url) return "refused";
  const own = url instanceof InternetUrl ? url : undefined;
  const host = own?.effectiveHost ?? "";
  const targets = findPlanTargets(client, url.href);
  // The client reads a news URL without a host from a configured server. A file URL without a host names a local file.
  if (host === "" && !["news", "snews", "file"].includes(url.scheme)) {
    if (targets.length > 0) throw new Error(`the plan dials ${targets[0]?.host}, and the URL has no host`);
    return "no host";
  }
  const port = own?.effectivePort ?? 0;
  for (const target of host === "" ? [] : targets)
    if (target.host !== host || target.port !== port)
      throw new Error(`the plan dials ${target.host}:${target.port}, and the URL has ${host}:${port}`);
  for (const { name, readHostAndPort } of WHATWG_AND_RFC3986_PARSERS) {
    const other = readHostAndPort(name === "new URL" ? text : url.href);
    if (other && !isSameHostAndPort(other, host, port, DEFAULT_PORTS.get(url.scheme)))
      throw new Error(
        `the client dials "${host}" port ${port}, ${name} sees "${other.host}" port ${other.port}`,
      );
  }
  return "dialled";
}

function isSameHostAndPort(
  other: ParsedHostAndPort,
  host: string,
  port: number,
  defaultPort: number = 0,
): boolean {
  // WHATWG parsers remove the host of file://localhost/.
  const isSameHost = other.host === host || (host === "localhost" && other.host === "");
  return isSameHost && (other.port ?? defaultPort) === port;
}

function findPlanTargets(client: Client, text: string): readonly Endpoint[] {
  try {
    return client.plan(text).steps.flatMap(({ target }) => (target ? [target] : []));
  } catch (error) {
    if (error instanceof AccessError) return [];
    throw error;
  }
}
