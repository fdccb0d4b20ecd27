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
import { ALL_SYNTAXES } from "../../fixtures/all-syntaxes.ts";
import { applyPortRule } from "../../../packages/core/src/policy/ports.ts";
import {
  isPortAllowedByDocumentation,
  EXPECTED_SCHEME_PORT_RULES,
  type SchemePortRule,
  TESTED_PORTS,
  SCHEMES_WITHOUT_CONNECTIONS,
  PORT_TEXT_CASES,
} from "./expected-allowed-ports.ts";

it("the table of port rules has every scheme", () => {
  const names = ALL_SYNTAXES.flatMap(({ schemes }) => schemes);
  expect([...new Set(names)].toSorted()).toEqual(
    [...Object.keys(EXPECTED_SCHEME_PORT_RULES), ...SCHEMES_WITHOUT_CONNECTIONS].toSorted(),
  );
});

/** Creates a client whose DNS lookups fail, and counts the lookups. The client checks the port before the lookup. */
function createRecordingClient(
  { createScheme }: SchemePortRule,
  policy: Policy,
  port?: number | string,
): { client: Client; readonly lookups: () => number } {
  let count = 0;
  const client = createClient({
    schemes: [createScheme(port)],
    policy,
    resolver: () => (count++, Promise.resolve([])),
  });
  return { client, lookups: () => count };
}

/**
 * Returns true when the client looks up the host, and false when it refuses the port. Throws any other error of the
 * client.
 */
async function isPortAllowedByClient(client: Client, url: string, lookups: () => number): Promise<boolean> {
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

describe.each(Object.entries(EXPECTED_SCHEME_PORT_RULES))("the ports of the scheme %s", (name, row) => {
  it("the policy decides about each of the 65,536 ports as the table of port rules does", () => {
    const { portRange = "default", syntax } = row.createScheme(row.defaultPort);
    const schemePorts = { scheme: name, defaultPort: syntax.defaultPort, portRange };
    const policy = publicInternet();
    const wrongPorts: number[] = [];
    for (let port = 0; port < 65_536; port++)
      if (applyPortRule(port, schemePorts, policy).allowed !== isPortAllowedByDocumentation(row, port))
        wrongPorts.push(port);
    expect(wrongPorts).toEqual([]);
  });

  const allowed = [22, 6000, 7071];
  it.each<[string, Policy, Parameters<typeof isPortAllowedByDocumentation>[2]]>([
    ["publicInternet()", publicInternet(), {}],
    ["anyAddress()", anyAddress(), {}],
    ["allowPorts", publicInternet({ allowPorts: { [name.toUpperCase()]: allowed } }), { allowed }],
    ["allowPorts of another scheme", publicInternet({ allowPorts: { "x-other": allowed } }), {}],
    ["strictPorts", publicInternet({ strictPorts: true }), { strict: true }],
    [
      "strictPorts and allowPorts",
      anyAddress({ strictPorts: true, allowPorts: { [name]: allowed } }),
      { strict: true, allowed },
    ],
    ["confirmPort that returns true", publicInternet({ confirmPort: () => true }), { isConfirmed: true }],
    [
      "confirmPort that returns a promise of true",
      publicInternet({ confirmPort: () => Promise.resolve(true) }),
      { isConfirmed: true },
    ],
    ["confirmPort that returns 1", publicInternet({ confirmPort: () => 1 as unknown as boolean }), {}],
    [
      "confirmPort and strictPorts",
      publicInternet({ strictPorts: true, confirmPort: () => true }),
      { strict: true },
    ],
  ])("the client follows the table of port rules with the policy %s", async (_, policy, exceptions) => {
    for (const port of [...TESTED_PORTS, ...allowed]) {
      const { client, lookups } = createRecordingClient(row, policy, port);
      expect(await isPortAllowedByClient(client, row.createUrl(port), lookups), String(port)).toBe(
        isPortAllowedByDocumentation(row, port, exceptions),
      );
    }
  });

  it.each(PORT_TEXT_CASES)(
    "the client parses the port %j of a URL, and applies the port rule to it",
    async (text, meant) => {
      const port = meant === "default" ? row.defaultPort : meant;
      // A news URL has no port. The factory `news()` parses the port of the configured server.
      if (port === undefined && name === "news") {
        expect(() => createRecordingClient(row, publicInternet(), text)).toThrow();
        return;
      }
      const { client, lookups } = createRecordingClient(row, publicInternet(), text);
      if (port !== undefined)
        expect(await isPortAllowedByClient(client, row.createUrl(text), lookups)).toBe(
          isPortAllowedByDocumentation(row, port),
        );
      else await expect(client.dereference(row.createUrl(text))).rejects.toBeInstanceOf(UrlSyntaxError);
      expect(lookups()).toBe(port === undefined || !isPortAllowedByDocumentation(row, port) ? 0 : 1);
    },
  );
});
