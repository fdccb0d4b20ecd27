import { anyAddress, createClient } from "@anyscheme/core";
import { http } from "@anyscheme/scheme-http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAILURE_CASES } from "./failure-cases.ts";
import { type FetchServer, startFetchServer } from "./fetch-server.ts";
import { REDIRECT_CASES } from "./redirect-cases.ts";
import { REQUEST_CASES } from "./request-cases.ts";
import { RESPONSE_CASES } from "./response-cases.ts";

const client = createClient({ schemes: [http()], policy: anyAddress() });
let servers: readonly FetchServer[] = [];
beforeAll(async () => {
  servers = [await startFetchServer(), await startFetchServer()];
});
afterAll(async () => {
  await client.destroy();
  for (const server of servers) await server[Symbol.asyncDispose]();
});

describe.each([
  ["requests", REQUEST_CASES],
  ["responses", RESPONSE_CASES],
  ["redirects", REDIRECT_CASES],
  ["failures", FAILURE_CASES],
])("client.fetch and the fetch of Node.js: %s", (_, cases) => {
  it.each(cases.map((each) => [each.title, each] as const))("%s", async (__, { observe }) => {
    const [origin = "", other = ""] = servers.map((server) => server.origin);
    const ofNode = await observe(globalThis.fetch, { origin, other });
    const ofClient = await observe(client.fetch, { origin, other });
    expect(ofClient).toEqual(ofNode);
  });
});
