import { gzipSync } from "node:zlib";
import { AccessError, createClient, anyAddress, UrlSyntaxError } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { LIMIT_TEST_CASES } from "./limit-cases.ts";
import type { LimitTestCase } from "./limit-test-case.ts";
import { TIMEOUT_TEST_CASES } from "./timeout-cases.ts";
import { listOpenHandlesAfterWait, listOpenHandles } from "./list-open-handles.ts";
import { dereferenceWithoutReading, dereferenceAndDrain } from "./dereference-and-drain.ts";
import { ALL_LIMITS } from "../../fixtures/all-limits.ts";

/** The limits without a test case in the table, each with the reason and the file of its tests. */
const LIMITS_TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  maxUrlLength: "a URL above maxUrlLength is a syntax error; the test is below",
  maxDecodedRatio: "maxDecodedRatio is a ratio and not a count; the test is below",
  maxEncodedRatio:
    "maxEncodedRatio is a ratio and not a count; tested in packages/scheme-http/test/response/coding-overhead-limits.test.ts",
  maxConnectionsPerHost:
    "further requests wait without an error; tested in packages/core/test/client/connections/max-connections-per-host.test.ts",
  maxQueuedDatagrams:
    "further datagrams are lost without an error; tested in packages/core/test/network/udp.test.ts",
};

/** The open handles before the tests start servers and clients. */
const OPEN_HANDLES_BEFORE_TESTS = listOpenHandles();

it("every limit has a test case, or a reason for having none", () => {
  const rows = [...LIMIT_TEST_CASES, ...TIMEOUT_TEST_CASES].map(({ limitName: limit }) => limit as string);
  expect([...new Set([...rows, ...Object.keys(LIMITS_TESTED_ELSEWHERE)])].toSorted()).toEqual(
    Object.keys(ALL_LIMITS).toSorted(),
  );
});

/**
 * Makes one request whose response has `count` bytes, lines, entries or redirects, and returns the error of the
 * request.
 */
async function catchRequestError(
  limitCase: LimitTestCase,
  count: number,
  inSingleBytes: boolean,
): Promise<unknown> {
  const server = await limitCase.startServer?.(count, inSingleBytes);
  const port = server?.port ?? 9;
  const scheme = limitCase.createScheme();
  const client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: [port] } }),
    limits: { ...limitCase.otherLimits, [limitCase.limitName]: limitCase.limitValue },
    resolver: () => Promise.resolve(limitCase.resolvedAddresses?.(count) ?? ["127.0.0.1"]),
  });
  const read = limitCase.dereferenceAndRead ?? dereferenceWithoutReading;
  try {
    await read(client, limitCase.createUrl(port, count));
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.destroy();
    await server?.stop();
  }
}

describe.each(LIMIT_TEST_CASES.map((limitCase) => [limitCase.limitName, limitCase] as const))(
  "the limit %s",
  (limit, limitCase) => {
    const { limitValue } = limitCase;
    const counts = [limitValue - 1, limitValue, limitValue + 1, limitValue * 1000].flatMap((count) =>
      count > 2 * limitValue || !limitCase.startServer
        ? [[count, false] as const]
        : [[count, false] as const, [count, true] as const],
    );

    it.each(counts)(
      `the client applies the limit of ${limitValue} to %i bytes, lines or entries (sent one byte at a time: %j)`,
      async (count, inSingleBytes) => {
        const error = await catchRequestError(limitCase, count, inSingleBytes);
        if (count > limitValue) {
          expect(error).toBeInstanceOf(AccessError);
          expect(error).toMatchObject({ code: "limit", limit });
          expect((error as AccessError).message).toContain(`the limit ${limit} is ${limitValue}`);
        } else if (limitCase.errorWithinLimit === undefined) expect(error).toBeUndefined();
        else expect(error).toMatchObject({ code: limitCase.errorWithinLimit });
        expect(await listOpenHandlesAfterWait(OPEN_HANDLES_BEFORE_TESTS)).toEqual(OPEN_HANDLES_BEFORE_TESTS);
      },
    );
  },
);

describe("the limit maxUrlLength", () => {
  it.each([
    [63, undefined],
    [64, undefined],
    [65, "too-long"],
    [64_000, "too-long"],
  ])(
    "the client applies a maxUrlLength of 64 to a URL of %i characters (expected fault: %s)",
    async (count, fault) => {
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
    },
  );
});

describe("the limit maxDecodedRatio", () => {
  const encoded = gzipSync(Buffer.alloc(2 * 1_048_576));
  const ratio = (2 * 1_048_576) / encoded.length;
  it.each([
    [Math.ceil(ratio), undefined],
    [Math.floor(ratio), "maxDecodedRatio"],
    [1, "maxDecodedRatio"],
  ])(
    "the client applies a maxDecodedRatio of %i to compressed content (exceeded limit: %s)",
    async (maxDecodedRatio, limit) => {
      const server = await startScriptedServer(async (peer) => {
        while (await peer.readLine());
        peer.send("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
        peer.send(encoded);
      });
      const client = createClient({ schemes: [http()], policy: anyAddress(), limits: { maxDecodedRatio } });
      const work = dereferenceAndDrain(client, `http://127.0.0.1:${server.port}/`);
      const error: unknown = await work.then(() => undefined).catch((reason: unknown) => reason);
      await client.destroy();
      await server.stop();
      if (limit === undefined) expect(error).toBeUndefined();
      else expect(error).toMatchObject({ code: "limit", limit });
      expect(await listOpenHandlesAfterWait(OPEN_HANDLES_BEFORE_TESTS)).toEqual(OPEN_HANDLES_BEFORE_TESTS);
    },
  );
});
