import {
  AccessError,
  createClient,
  type Client,
  type Policy,
  publicInternet,
  anyAddress,
  UrlSyntaxError,
} from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { syntaxes } from "../../fixtures/syntaxes.ts";
import { decidePort } from "../../../packages/core/src/policy/ports.ts";
import {
  isPortAllowed,
  PORT_ROWS,
  type PortRow,
  SAMPLE_PORTS,
  SCHEMES_WITHOUT_PORTS,
  PORT_TEXTS,
} from "./port-rules.ts";

it("every scheme has a port rule in the table", () => {
  const names = syntaxes.flatMap(({ schemes }) => schemes);
  expect([...new Set(names)].toSorted()).toEqual(
    [...Object.keys(PORT_ROWS), ...SCHEMES_WITHOUT_PORTS].toSorted(),
  );
});

/** Creates a client that fails in the DNS lookup, which comes after the port rule. Counts the lookups. */
function clientFor(
  { scheme }: PortRow,
  policy: Policy,
  port?: number | string,
): { client: Client; readonly lookups: () => number } {
  let count = 0;
  const client = createClient({
    schemes: [scheme(port)],
    policy,
    resolver: () => (count++, Promise.resolve([])),
  });
  return { client, lookups: () => count };
}

/** True when the port was allowed. Throws for any other result than a lookup or a rejection. */
async function isAllowed(client: Client, url: string, lookups: () => number): Promise<boolean> {
  const before = lookups();
  let error: unknown;
  try {
    const resource = await client.dereference(url);
    if (resource.kind === "service") await resource.connect();
  } catch (reason) {
    error = reason;
  }
  const code = error instanceof AccessError ? error.code : String(error);
  const allowed = lookups() > before;
  if (code !== (allowed ? "unavailable" : "refused-port")) throw new Error(`${url}: ${code}`);
  return allowed;
}

describe.each(Object.entries(PORT_ROWS))("the ports of the scheme %s", (name, row) => {
  it("connects only to the listed ports of all 65 536 ports", () => {
    const { speaksFirst = "client", syntax } = row.scheme(row.defaultPort);
    const of = { scheme: name, defaultPort: syntax.defaultPort, speaksFirst };
    const policy = publicInternet();
    const wrong: number[] = [];
    for (let port = 0; port < 65_536; port++)
      if (decidePort(port, of, policy).allowed !== isPortAllowed(row, port)) wrong.push(port);
    expect(wrong).toEqual([]);
  });

  const allowed = [22, 6000, 7071];
  it.each<[string, Policy, Parameters<typeof isPortAllowed>[2]]>([
    ["publicInternet()", publicInternet(), {}],
    ["anyAddress()", anyAddress(), {}],
    ["allowPorts", publicInternet({ allowPorts: { [name.toUpperCase()]: allowed } }), { allowed }],
    ["allowPorts of another scheme", publicInternet({ allowPorts: { "x-other": allowed } }), {}],
    ["strictPorts", publicInternet({ strictPorts: true }), { strict: true }],
    ["both", anyAddress({ strictPorts: true, allowPorts: { [name]: allowed } }), { strict: true, allowed }],
    ["onPort with true", publicInternet({ confirmPort: () => true }), { isConfirmed: true }],
    [
      "onPort with a promise of true",
      publicInternet({ confirmPort: () => Promise.resolve(true) }),
      { isConfirmed: true },
    ],
    ["onPort with something like true", publicInternet({ confirmPort: () => 1 as unknown as boolean }), {}],
    [
      "onPort and strictPorts",
      publicInternet({ strictPorts: true, confirmPort: () => true }),
      { strict: true },
    ],
  ])("follows the table of port rules under %s", async (_, policy, exceptions) => {
    for (const port of [...SAMPLE_PORTS, ...allowed]) {
      const { client, lookups } = clientFor(row, policy, port);
      expect(await isAllowed(client, row.url(port), lookups), String(port)).toBe(
        isPortAllowed(row, port, exceptions),
      );
    }
  });

  it.each(PORT_TEXTS)("the port of a URL in the spelling %j", async (text, meant) => {
    const port = meant === "default" ? row.defaultPort : meant;
    // A news URL has no port, and the factory parses the caller's server.
    if (port === undefined && name === "news") {
      expect(() => clientFor(row, publicInternet(), text)).toThrow();
      return;
    }
    const { client, lookups } = clientFor(row, publicInternet(), text);
    if (port !== undefined)
      expect(await isAllowed(client, row.url(text), lookups)).toBe(isPortAllowed(row, port));
    else await expect(client.dereference(row.url(text))).rejects.toBeInstanceOf(UrlSyntaxError);
    expect(lookups()).toBe(port === undefined || !isPortAllowed(row, port) ? 0 : 1);
  });
});
