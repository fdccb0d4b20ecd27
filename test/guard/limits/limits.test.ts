import { gzipSync } from "node:zlib";
import { AccessError, createClient, anyAddress, UrlSyntaxError } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { LIMIT_ROWS, type LimitRow } from "./limit-rows.ts";
import { TIME_ROWS } from "./timeout-rows.ts";
import { remainingHandles, openHandles } from "./open-handles.ts";
import { dereference, readWhole } from "./read-resource.ts";
import { ALL_LIMITS } from "../../fixtures/all-limits.ts";

/** Limits without a row, each with the reason and the file of its tests. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  maxUrlLength: "a syntax fault, and no error of an access: below",
  maxDecodedRatio: "a ratio, which no count of anything is: below",
  maxEncodedRatio: "a ratio: packages/scheme-http/test/response/bytes-without-content.test.ts",
  maxConnectionsPerHost:
    "no error by itself: further requests wait. packages/core/test/client/connections.test.ts",
  maxQueuedDatagrams: "no error: what comes beyond is lost. packages/core/test/network/udp.test.ts",
};

/** The open handles before any server or client is started. */
const BEFORE = openHandles();

it("every limit has a test case, or a reason for having none", () => {
  const rows = [...LIMIT_ROWS, ...TIME_ROWS].map(({ limit }) => limit as string);
  expect([...new Set([...rows, ...Object.keys(ELSEWHERE)])].toSorted()).toEqual(
    Object.keys(ALL_LIMITS).toSorted(),
  );
});

/** Makes one request that reaches `count`, and returns its error. */
async function failureOf(row: LimitRow, count: number, inSingleBytes: boolean): Promise<unknown> {
  const server = await row.serve?.(count, inSingleBytes);
  const port = server?.port ?? 9;
  const scheme = row.scheme();
  const client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: [port] } }),
    limits: { ...row.others, [row.limit]: row.n },
    resolver: () => Promise.resolve(row.addresses?.(count) ?? ["127.0.0.1"]),
  });
  const read = row.read ?? dereference;
  try {
    await read(client, row.url(port, count));
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.destroy();
    await server?.stop();
  }
}

describe.each(LIMIT_ROWS.map((row) => [row.limit, row] as const))("the limit %s", (limit, row) => {
  const { n } = row;
  const counts = [n - 1, n, n + 1, n * 1000].flatMap((count) =>
    count > 2 * n || !row.serve
      ? [[count, false] as const]
      : [[count, false] as const, [count, true] as const],
  );

  it.each(counts)(
    `is ${n} and is checked against %i units, sent in single bytes: %j`,
    async (count, inSingleBytes) => {
      const error = await failureOf(row, count, inSingleBytes);
      if (count > n) {
        expect(error).toBeInstanceOf(AccessError);
        expect(error).toMatchObject({ code: "limit", limit });
        expect((error as AccessError).message).toContain(`the limit ${limit} is ${n}`);
      } else if (row.failure === undefined) expect(error).toBeUndefined();
      else expect(error).toMatchObject({ code: row.failure });
      expect(await remainingHandles(BEFORE)).toEqual(BEFORE);
    },
  );
});

describe("maxUrlLength", () => {
  it.each([
    [63, undefined],
    [64, undefined],
    [65, "too-long"],
    [64_000, "too-long"],
  ])("a URL of %i characters is checked against a maxUrlLength of 64", async (count, fault) => {
    const asked: string[] = [];
    await using client = createClient({
      schemes: [gopher()],
      limits: { maxUrlLength: 64 },
      resolver: (name) => (asked.push(name), Promise.resolve([])),
    });
    const url = "gopher://h.example/".padEnd(count, "x");
    const error: unknown = await client.dereference(url).catch((reason: unknown) => reason);
    expect(error instanceof UrlSyntaxError ? error.code : undefined).toBe(fault);
    expect(asked).toHaveLength(fault ? 0 : 1);
  });
});

describe("maxDecodedRatio", () => {
  const encoded = gzipSync(Buffer.alloc(2 * 1_048_576));
  const ratio = (2 * 1_048_576) / encoded.length;
  it.each([
    [Math.ceil(ratio), undefined],
    [Math.floor(ratio), "maxDecodedRatio"],
    [1, "maxDecodedRatio"],
  ])("a maxDecodedRatio of %i is applied to compressed content", async (maxDecodedRatio, limit) => {
    const server = await startScriptedServer(async (peer) => {
      while (await peer.line());
      peer.send("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
      peer.send(encoded);
    });
    const client = createClient({ schemes: [http()], policy: anyAddress(), limits: { maxDecodedRatio } });
    const work = readWhole(client, `http://127.0.0.1:${server.port}/`);
    const error: unknown = await work.then(() => undefined).catch((reason: unknown) => reason);
    await client.destroy();
    await server.stop();
    if (limit === undefined) expect(error).toBeUndefined();
    else expect(error).toMatchObject({ code: "limit", limit });
    expect(await remainingHandles(BEFORE)).toEqual(BEFORE);
  });
});
