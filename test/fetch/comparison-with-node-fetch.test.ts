import { anyAddress, createClient } from "@anyscheme/core";
import { http } from "@anyscheme/scheme-http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDocsPage } from "../docs/code-blocks.ts";
import { readTableBelowHeading } from "../docs/markdown-table.ts";
import { FETCH_FAILURE_CASES } from "./failure-cases.ts";
import { type FetchTestServer, startFetchTestServer } from "./fetch-test-server.ts";
import { FETCH_REDIRECT_CASES } from "./redirect-cases.ts";
import { FETCH_REQUEST_CASES } from "./request-cases.ts";
import { FETCH_RESPONSE_CASES } from "./response-cases.ts";

const client = createClient({ schemes: [http()], policy: anyAddress() });
let servers: readonly FetchTestServer[] = [];
beforeAll(async () => {
  servers = [await startFetchTestServer(), await startFetchTestServer()];
});
afterAll(async () => {
  await client.destroy();
  for (const server of servers) await server[Symbol.asyncDispose]();
});

const CASES = [
  ["requests", FETCH_REQUEST_CASES],
  ["responses", FETCH_RESPONSE_CASES],
  ["redirects", FETCH_REDIRECT_CASES],
  ["failures", FETCH_FAILURE_CASES],
] as const;

const page = readDocsPage("docs/fetch.md");
const differences = readTableBelowHeading(page, "Differences from the fetch of Node.js");
/** The rows about single versions of Node.js: title, major version, and the other cells. */
const versionDifferences = readTableBelowHeading(page, "Differences from single versions of Node.js");
const [majorVersion] = process.versions.node.split(".");
/** The titles of the cases whose results differ on this version of Node.js. */
const DIFFERENT: ReadonlySet<string> = new Set([
  ...differences.map(([title = ""]) => title),
  ...versionDifferences.flatMap(([title = "", version]) => (version === majorVersion ? [title] : [])),
]);

describe.each(CASES)("client.fetch and the fetch of Node.js: %s", (_, cases) => {
  it.each(cases.map((each) => [each.title, each] as const))(
    "both agree unless docs/fetch.md lists a difference: %s",
    async (title, { observe }) => {
      const [origin = "", other = ""] = servers.map((server) => server.origin);
      const ofNode = await observe(globalThis.fetch, { origin, otherOrigin: other });
      const ofClient = await observe(client.fetch, { origin, otherOrigin: other });
      if (DIFFERENT.has(title)) expect(ofClient).not.toEqual(ofNode);
      else expect(ofClient).toEqual(ofNode);
    },
  );
});

it("docs/fetch.md lists only cases that exist, with reasons", () => {
  const titles = new Set(CASES.flatMap(([, cases]) => cases.map(({ title }) => title)));
  const rows = [...differences, ...versionDifferences];
  expect(rows.filter(([title = ""]) => !titles.has(title))).toEqual([]);
  for (const [title, ...cells] of rows)
    expect(
      cells.filter((cell) => cell === ""),
      title,
    ).toEqual([]);
});
