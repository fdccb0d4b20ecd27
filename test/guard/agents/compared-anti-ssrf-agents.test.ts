import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { guardedHttpAgent, guardedHttpsAgent } from "@anyscheme/core/http-agent";
import axios, { type AxiosRequestConfig } from "axios";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SsrfAttack, SSRF_ATTACKS, PUBLIC_ADDRESS } from "./ssrf-attacks.ts";
import { type ComparedAntiSsrfAgent, COMPARED_ANTI_SSRF_AGENTS } from "./compared-anti-ssrf-agents.ts";
import { type FakeNetwork, installFakeNetwork } from "./fake-network.ts";

const PAGE = new URL("../../../docs/guard-under-fetch.md", import.meta.url).pathname;
const ALLOWED = `${PUBLIC_ADDRESS} port 80`;
const HEADING = "## Comparison\n";

let network: FakeNetwork;
beforeAll(async () => {
  network = await installFakeNetwork();
});
afterAll(() => network[Symbol.asyncDispose]());

/** Returns the connections that a compared agent has tried to open during an attack. */
async function recordDials(
  { createClient }: ComparedAntiSsrfAgent,
  attack: SsrfAttack,
): Promise<readonly string[]> {
  network.prepareAttack(attack);
  const environment = { ...process.env };
  Object.assign(process.env, attack.environment);
  const client = createClient();
  try {
    // Each agent may reject a request of the attack with an error of its own.
    for (const url of attack.urls) await client.request(url, attack).catch(() => undefined);
    return [...network.connectAttempts];
  } finally {
    process.env = environment;
    await client.close();
  }
}

const isBlocked = (dials: readonly string[]): boolean => dials.every((dial) => dial === ALLOWED);

describe("the network of the test", () => {
  it("the test network refuses every connection before a packet is sent, except to the public server", async () => {
    network.prepareAttack({ group: "", targetDescription: "", urls: [] });
    for (const host of ["192.0.2.1", "10.0.0.1", "127.0.0.1", "2001:db8::1"]) {
      const [error] = (await once(connect({ host, port: 80 }), "error")) as [NodeJS.ErrnoException];
      expect(error.code).toBe("ECONNREFUSED");
    }
    expect(network.connectAttempts).toHaveLength(4);
  });

  it.each(COMPARED_ANTI_SSRF_AGENTS)(
    "$name reaches the public server, also after a redirect",
    async (contender) => {
      const names = { "www.example": [[PUBLIC_ADDRESS]] };
      const urls = [
        "http://www.example/",
        `http://www.example/to?${encodeURIComponent("http://www.example/")}`,
      ];
      network.prepareAttack({ group: "", targetDescription: "", urls, dnsAnswersByName: names });
      const client = contender.createClient();
      for (const url of urls) await client.request(url, { group: "", targetDescription: "", urls });
      expect(new Set(network.connectAttempts)).toEqual(new Set([ALLOWED]));
      await client.close();
    },
  );
});

describe("the agents of this repository block every attack", () => {
  const outcomes = new Map<SsrfAttack, readonly boolean[]>();

  it.each(SSRF_ATTACKS)("the agents block the attack $group: $targetDescription", async (attack) => {
    const blocked: boolean[] = [];
    for (const contender of COMPARED_ANTI_SSRF_AGENTS)
      blocked.push(isBlocked(await recordDials(contender, attack)));
    outcomes.set(attack, blocked);
    // The agents of this repository block every attack.
    expect(blocked.slice(0, 2)).toEqual([true, true]);
  });

  it("docs/guard-under-fetch.md shows the outcome of each attack for each agent", async () => {
    expect(outcomes.size).toBe(SSRF_ATTACKS.length);
    expect(SSRF_ATTACKS.length).toBeGreaterThanOrEqual(60);
    const page = readFileSync(PAGE, "utf8");
    const start = page.indexOf(HEADING);
    expect(start).toBeGreaterThan(0);
    const table = formatTable(outcomes);
    const updated = page.slice(0, start) + page.slice(start).replace(/(?:^\|.*\n)+/m, table);
    // `vitest run test/guard/agents --update` writes the table into the page.
    await expect(updated).toMatchFileSnapshot(PAGE);
  });
});

/** Formats the outcomes as Prettier formats a table of Markdown. */
function formatTable(outcomes: ReadonlyMap<SsrfAttack, readonly boolean[]>): string {
  const counts = COMPARED_ANTI_SSRF_AGENTS.map(
    (_, index) => [...outcomes.values()].filter((blocked) => blocked[index]).length,
  );
  const rows = [
    ["attack", "target", ...COMPARED_ANTI_SSRF_AGENTS.map(({ name }) => name)],
    ...[...outcomes].map(([{ group, targetDescription }, blocked]) =>
      [group, targetDescription].concat(blocked.map((each) => (each ? "blocked" : "dialled"))),
    ),
    ["blocked", `${outcomes.size} attacks`, ...counts.map(String)],
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("");
}

it.each<[option: string, config: AxiosRequestConfig]>([
  ["httpVersion: 2", { httpVersion: 2 }],
  ['adapter: "fetch"', { adapter: "fetch" }],
])(
  "axios ignores its agents with %s, and docs/guard-under-fetch.md warns of the option",
  async (option, config) => {
    network.prepareAttack({ group: "", targetDescription: "", urls: [] });
    const agents = { httpAgent: guardedHttpAgent(), httpsAgent: guardedHttpsAgent(), proxy: false } as const;
    await expect(axios.get("https://127.0.0.1/", { ...agents, ...config })).rejects.toThrow();
    expect(network.connectAttempts).toEqual(["127.0.0.1 port 443"]);
    expect(readFileSync(PAGE, "utf8")).toContain(`\`${option}\``);
  },
);
