import type { Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { news, nntp, nntps, prospero, telnet, wais } from "@anyscheme/scheme-others";

/** A scheme that connects, and its port rule. */
export interface PortRow {
  readonly scheme: (port?: number | string) => Scheme;
  readonly defaultPort: number;
  /** True when ports from 1024 on are allowed, since the server sends first or requests are framed. */
  readonly allowsHighPorts: boolean;
  readonly url: (port: number | string, host?: string) => string;
}

const at =
  (scheme: string, path: string): PortRow["url"] =>
  (port, host = "h.example") =>
    `${scheme}://${host}:${port}/${path}`;

export const PORT_ROWS: Readonly<Record<string, PortRow>> = {
  ftp: {
    scheme: () => ftp({ idleTimeoutMs: 0 }),
    defaultPort: 21,
    allowsHighPorts: true,
    url: at("ftp", "a"),
  },
  http: { scheme: () => http(), defaultPort: 80, allowsHighPorts: true, url: at("http", "a") },
  https: { scheme: () => https(), defaultPort: 443, allowsHighPorts: true, url: at("https", "a") },
  gopher: { scheme: () => gopher(), defaultPort: 70, allowsHighPorts: false, url: at("gopher", "0a") },
  gophers: { scheme: () => gophers(), defaultPort: 70, allowsHighPorts: false, url: at("gophers", "0a") },
  nntp: { scheme: () => nntp(), defaultPort: 119, allowsHighPorts: true, url: at("nntp", "a.b/1") },
  nntps: { scheme: () => nntps(), defaultPort: 563, allowsHighPorts: true, url: at("nntps", "a.b/1") },
  // The caller configures its server, and the port rule still applies.
  news: {
    scheme: (port) => news({ servers: [`h.example:${port}`] }),
    defaultPort: 119,
    allowsHighPorts: true,
    url: () => "news:a@h.example",
  },
  wais: { scheme: () => wais(), defaultPort: 210, allowsHighPorts: false, url: at("wais", "d?w") },
  prospero: { scheme: () => prospero(), defaultPort: 1525, allowsHighPorts: false, url: at("prospero", "a") },
  telnet: { scheme: () => telnet(), defaultPort: 23, allowsHighPorts: false, url: at("telnet", "") },
};

/** Schemes without connections. */
export const SCHEMES_WITHOUT_PORTS: readonly string[] = ["file", "mailto"];

/** The "bad ports" of the Fetch standard from 1024 on. Lower ports are rejected anyway. */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** Returns true when the nine rules allow the port. Their order is that of SECURITY.md. */
export function isPortAllowed(
  { defaultPort, allowsHighPorts: free }: PortRow,
  port: number,
  {
    allowed = [],
    strict = false,
    isConfirmed = false,
  }: { allowed?: readonly number[]; strict?: boolean; isConfirmed?: boolean } = {},
): boolean {
  if (port === 0) return false;
  if (port === defaultPort || allowed.includes(port)) return true;
  if (strict || port < 1024 || BAD_PORTS.has(port)) return false;
  return free || isConfirmed;
}

/** Ports near every boundary of the rules, and some in between. */
export const SAMPLE_PORTS: readonly number[] = [
  ...new Set(
    [0, 1, 21, 22, 25, 70, 80, 110, 119, 143, 210, 443, 563, 1023, 1024, 1525, 2049, 6000, 6667, 7070, 8080]
      .concat([...BAD_PORTS], [32_767, 32_768, 65_534, 65_535])
      .flatMap((port) => [port - 1, port, port + 1])
      .filter((port) => port >= 0 && port <= 65_535),
  ),
];

/** Texts of ports, with the port that each means. `undefined` marks an invalid port. */
export const PORT_TEXTS: readonly (readonly [text: string, port: number | "default" | undefined])[] = [
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
