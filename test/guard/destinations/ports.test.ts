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
import { mayUse, PORT_ROWS, type PortRow, SAMPLE, WITHOUT_PORTS, WRITTEN } from "./port-rules.ts";

it("every scheme has a row", () => {
  const names = syntaxes.flatMap(({ schemes }) => schemes);
  expect([...new Set(names)].toSorted()).toEqual([...Object.keys(PORT_ROWS), ...WITHOUT_PORTS].toSorted());
});

/** A client that comes as far as the look-up: then the port was allowed. Counts how often it does. */
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

/** Whether an access came as far as the look-up; fails for any other outcome than that and a refusal. */
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

describe.each(Object.entries(PORT_ROWS))("%s", (name, row) => {
  it("is allowed the ports of the table and no other, of all 65 536", () => {
    const { speaksFirst = "client", syntax } = row.scheme(row.defaultPort);
    const of = { scheme: name, defaultPort: syntax.defaultPort, speaksFirst };
    const policy = publicInternet();
    const wrong: number[] = [];
    for (let port = 0; port < 65_536; port++)
      if (decidePort(port, of, policy).allowed !== mayUse(row, port)) wrong.push(port);
    expect(wrong).toEqual([]);
  });

  const allowed = [22, 6000, 7071];
  it.each<[string, Policy, Parameters<typeof mayUse>[2]]>([
    ["publicInternet()", publicInternet(), {}],
    ["anyAddress()", anyAddress(), {}],
    ["allowPorts", publicInternet({ allowPorts: { [name.toUpperCase()]: allowed } }), { allowed }],
    ["allowPorts of another scheme", publicInternet({ allowPorts: { "x-other": allowed } }), {}],
    ["strictPorts", publicInternet({ strictPorts: true }), { strict: true }],
    ["both", anyAddress({ strictPorts: true, allowPorts: { [name]: allowed } }), { strict: true, allowed }],
    ["onPort with true", publicInternet({ confirmPort: () => true }), { asked: true }],
    [
      "onPort with a promise of true",
      publicInternet({ confirmPort: () => Promise.resolve(true) }),
      { asked: true },
    ],
    ["onPort with something like true", publicInternet({ confirmPort: () => 1 as unknown as boolean }), {}],
    [
      "onPort and strictPorts",
      publicInternet({ strictPorts: true, confirmPort: () => true }),
      { strict: true },
    ],
  ])("comes as far as the look-up under %s", async (_, policy, exceptions) => {
    for (const port of [...SAMPLE, ...allowed]) {
      const { client, lookups } = clientFor(row, policy, port);
      expect(await isAllowed(client, row.url(port), lookups), String(port)).toBe(
        mayUse(row, port, exceptions),
      );
    }
  });

  it.each(WRITTEN)("a port written as %j", async (text, meant) => {
    const port = meant === "default" ? row.defaultPort : meant;
    // A news URL has no port, and the server of the caller's is read when the scheme is made.
    if (port === undefined && name === "news") {
      expect(() => clientFor(row, publicInternet(), text)).toThrow();
      return;
    }
    const { client, lookups } = clientFor(row, publicInternet(), text);
    if (port !== undefined) expect(await isAllowed(client, row.url(text), lookups)).toBe(mayUse(row, port));
    else await expect(client.dereference(row.url(text))).rejects.toBeInstanceOf(UrlSyntaxError);
    expect(lookups()).toBe(port === undefined || !mayUse(row, port) ? 0 : 1);
  });
});
