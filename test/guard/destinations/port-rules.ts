import type { Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { news, nntp, nntps, prospero, telnet, wais } from "@anyscheme/scheme-others";

/** A scheme that connects, and what the rules of ports say of it. */
export interface PortRow {
  readonly scheme: (port?: number | string) => Scheme;
  readonly defaultPort: number;
  /** Whether ports from 1024 on are allowed: the server speaks first, or the requests are framed. */
  readonly free: boolean;
  readonly url: (port: number | string, host?: string) => string;
}

const at =
  (scheme: string, path: string): PortRow["url"] =>
  (port, host = "h.example") =>
    `${scheme}://${host}:${port}/${path}`;

export const PORT_ROWS: Readonly<Record<string, PortRow>> = {
  ftp: { scheme: () => ftp({ idleTimeoutMs: 0 }), defaultPort: 21, free: true, url: at("ftp", "a") },
  http: { scheme: () => http(), defaultPort: 80, free: true, url: at("http", "a") },
  https: { scheme: () => https(), defaultPort: 443, free: true, url: at("https", "a") },
  gopher: { scheme: () => gopher(), defaultPort: 70, free: false, url: at("gopher", "0a") },
  gophers: { scheme: () => gophers(), defaultPort: 70, free: false, url: at("gophers", "0a") },
  nntp: { scheme: () => nntp(), defaultPort: 119, free: true, url: at("nntp", "a.b/1") },
  nntps: { scheme: () => nntps(), defaultPort: 563, free: true, url: at("nntps", "a.b/1") },
  // Its server is one of the caller's, and the port rule is asked all the same.
  news: {
    scheme: (port) => news({ servers: [`h.example:${port}`] }),
    defaultPort: 119,
    free: true,
    url: () => "news:a@h.example",
  },
  wais: { scheme: () => wais(), defaultPort: 210, free: false, url: at("wais", "d?w") },
  prospero: { scheme: () => prospero(), defaultPort: 1525, free: false, url: at("prospero", "a") },
  telnet: { scheme: () => telnet(), defaultPort: 23, free: false, url: at("telnet", "") },
};

/** Schemes that connect to nothing. */
export const WITHOUT_PORTS: readonly string[] = ["file", "mailto"];

/** The "bad ports" of the Fetch standard from 1024 on; those below are refused anyway. */
const BAD: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** The nine rows, in the order in which the rules of the guard give them. */
export function mayUse(
  { defaultPort, free }: PortRow,
  port: number,
  {
    allowed = [],
    strict = false,
    asked = false,
  }: { allowed?: readonly number[]; strict?: boolean; asked?: boolean } = {},
): boolean {
  if (port === 0) return false;
  if (port === defaultPort || allowed.includes(port)) return true;
  if (strict || port < 1024 || BAD.has(port)) return false;
  return free || asked;
}

/** Ports near every edge of the rules, and some in between. */
export const SAMPLE: readonly number[] = [
  ...new Set(
    [0, 1, 21, 22, 25, 70, 80, 110, 119, 143, 210, 443, 563, 1023, 1024, 1525, 2049, 6000, 6667, 7070, 8080]
      .concat([...BAD], [32_767, 32_768, 65_534, 65_535])
      .flatMap((port) => [port - 1, port, port + 1])
      .filter((port) => port >= 0 && port <= 65_535),
  ),
];

/** Ways to write a port, and the port that is meant; `undefined` where it is no port. */
export const WRITTEN: readonly (readonly [text: string, port: number | "default" | undefined])[] = [
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
