import type { Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { news, nntp, nntps, prospero, snews, telnet, wais } from "@anyscheme/scheme-others";

/** A scheme that opens connections, and the rule for its ports. */
export interface SchemePortRule {
  readonly createScheme: (port?: number | string) => Scheme;
  readonly defaultPort: number;
  /** True when ports from 1024 on are allowed, because the server sends first or other servers reject the requests. */
  readonly allowsHighPorts: boolean;
  readonly createUrl: (port: number | string, host?: string) => string;
}

const urlWithPort =
  (scheme: string, path: string): SchemePortRule["createUrl"] =>
  (port, host = "h.example") =>
    `${scheme}://${host}:${port}/${path}`;

export const EXPECTED_SCHEME_PORT_RULES: Readonly<Record<string, SchemePortRule>> = {
  ftp: {
    createScheme: () => ftp({ idleTimeoutMs: 0 }),
    defaultPort: 21,
    allowsHighPorts: true,
    createUrl: urlWithPort("ftp", "a"),
  },
  http: {
    createScheme: () => http(),
    defaultPort: 80,
    allowsHighPorts: true,
    createUrl: urlWithPort("http", "a"),
  },
  https: {
    createScheme: () => https(),
    defaultPort: 443,
    allowsHighPorts: true,
    createUrl: urlWithPort("https", "a"),
  },
  gopher: {
    createScheme: () => gopher(),
    defaultPort: 70,
    allowsHighPorts: false,
    createUrl: urlWithPort("gopher", "0a"),
  },
  gophers: {
    createScheme: () => gophers(),
    defaultPort: 70,
    allowsHighPorts: false,
    createUrl: urlWithPort("gophers", "0a"),
  },
  nntp: {
    createScheme: () => nntp(),
    defaultPort: 119,
    allowsHighPorts: true,
    createUrl: urlWithPort("nntp", "a.b/1"),
  },
  nntps: {
    createScheme: () => nntps(),
    defaultPort: 563,
    allowsHighPorts: true,
    createUrl: urlWithPort("nntps", "a.b/1"),
  },
  // The caller configures the news servers, and the port rule applies to them too.
  news: {
    createScheme: (port) => news({ servers: [`h.example:${port}`] }),
    defaultPort: 119,
    allowsHighPorts: true,
    createUrl: () => "news:a@h.example",
  },
  snews: {
    createScheme: () => snews(),
    defaultPort: 563,
    allowsHighPorts: true,
    createUrl: urlWithPort("snews", "a@h.example"),
  },
  wais: {
    createScheme: () => wais(),
    defaultPort: 210,
    allowsHighPorts: false,
    createUrl: urlWithPort("wais", "d?w"),
  },
  prospero: {
    createScheme: () => prospero(),
    defaultPort: 1525,
    allowsHighPorts: false,
    createUrl: urlWithPort("prospero", "a"),
  },
  telnet: {
    createScheme: () => telnet(),
    defaultPort: 23,
    allowsHighPorts: false,
    createUrl: urlWithPort("telnet", ""),
  },
};

/** The schemes that open no connections. */
export const SCHEMES_WITHOUT_CONNECTIONS: readonly string[] = ["file", "mailto"];

/**
 * The "bad ports" of the Fetch standard from 1024 on. The rule for all ports below 1024 already rejects the bad ports
 * below 1024.
 */
const FETCH_BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** Returns true when the port rules of SECURITY.md allow the port. */
export function isPortAllowedByDocumentation(
  { defaultPort, allowsHighPorts }: SchemePortRule,
  port: number,
  {
    allowed = [],
    strict = false,
    isConfirmed = false,
  }: { allowed?: readonly number[]; strict?: boolean; isConfirmed?: boolean } = {},
): boolean {
  if (port === 0) return false;
  if (port === defaultPort || allowed.includes(port)) return true;
  if (strict || port < 1024 || FETCH_BAD_PORTS.has(port)) return false;
  return allowsHighPorts || isConfirmed;
}

/** The ports next to every boundary of the port rules, and some other ports. */
export const TESTED_PORTS: readonly number[] = [
  ...new Set(
    [0, 1, 21, 22, 25, 70, 80, 110, 119, 143, 210, 443, 563, 1023, 1024, 1525, 2049, 6000, 6667, 7070, 8080]
      .concat([...FETCH_BAD_PORTS], [32_767, 32_768, 65_534, 65_535])
      .flatMap((port) => [port - 1, port, port + 1])
      .filter((port) => port >= 0 && port <= 65_535),
  ),
];

/**
 * Texts in the place of a port in a URL, with the parsed port. The port `undefined` marks a text that is no valid port.
 */
export const PORT_TEXT_CASES: readonly (readonly [text: string, port: number | "default" | undefined])[] = [
  ["", "default"],
  ["0", 0],
  ["00", 0],
  ["0025", 25],
  ["00000000000000000000025", 25],
  ["-1", undefined],
  ["+25", undefined],
  ["-25", undefined],
  ["25.0", undefined],
  ["2e1", undefined],
  ["0x19", undefined],
  ["0o31", undefined],
  ["2_5", undefined],
  ["2 5", undefined],
  ["%32%35", undefined],
  ["２５", undefined],
  ["٢٥", undefined],
  ["²⁵", undefined],
  ["25:25", undefined],
  ["25,25", undefined],
  ["65536", undefined],
  ["65561", undefined],
  ["131097", undefined],
  ["4294967321", undefined],
  ["18446744073709551641", undefined],
  ["9".repeat(400), undefined],
  ["NaN", undefined],
  ["Infinity", undefined],
];
