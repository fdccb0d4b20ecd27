import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import * as zlib from "node:zlib";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { AccessError, anyAddress } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { Agent, interceptors, request } from "undici";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_GUARDED_AGENT_LIMITS,
  type GuardedAgentLimits,
  guardedAgent,
  responseLimitsInterceptor,
} from "../src/index.ts";
import { getRejectionCause, startHttpServer } from "./http-server.ts";

const policy = anyAddress();

interface Fetched {
  readonly text?: string;
  readonly error?: Error & { code?: string; limit?: string };
}

/** Fetches the response of a server with `fetch` of this Node.js version, and with `request` of undici. */
async function fetchWithLimits(
  limits: Partial<GuardedAgentLimits>,
  respond: (response: ServerResponse) => void,
): Promise<{ fetched: Fetched; requested: Fetched }> {
  await using server = await startHttpServer((_, response) => respond(response));
  const dispatcher = guardedAgent({ policy, limits });
  const outcome = async (work: Promise<string>): Promise<Fetched> =>
    work.then(
      (text) => ({ text }),
      async () => ({ error: await getRejectionCause(work) }),
    );
  const fetched = await outcome(fetch(server.origin, { dispatcher }).then((response) => response.text()));
  const requested = await outcome(request(server.origin, { dispatcher }).then(({ body }) => body.text()));
  await dispatcher.destroy();
  return { fetched, requested };
}

const zeros = Buffer.alloc(4 * 1_048_576);
const encoded = (coding: string, body: Buffer) => (response: ServerResponse) => {
  response.setHeader("content-encoding", coding);
  response.end(body);
};
const interim = (count: number) => (response: ServerResponse) => {
  for (let index = 0; index < count; index++) response.writeEarlyHints({ link: "</a>; rel=preload" });
  response.end("ok");
};
const headerLines = (count: number) => (response: ServerResponse) => {
  // The server adds four lines: date, connection, keep-alive and transfer-encoding or content-length.
  for (let index = 0; index < count; index++) response.setHeader(`x-${index}`, "y");
  response.end("ok");
};

const CASES: readonly [
  limit: keyof GuardedAgentLimits,
  code: string,
  limits: Partial<GuardedAgentLimits>,
  respond: (response: ServerResponse) => void,
][] = [
  ["maxBodyBytes", "limit", { maxBodyBytes: 9 }, (response) => response.end("0123456789")],
  ["maxBodyBytes", "limit", { maxBodyBytes: 99_999 }, (response) => response.end(Buffer.alloc(100_000))],
  ["maxBodyBytes", "limit", { maxBodyBytes: 2_000_000 }, encoded("gzip", gzipSync(randomBytes(1_999_999)))],
  ["maxBodyBytes", "limit", { maxBodyBytes: 1_000_000 }, encoded("gzip", gzipSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded("gzip", gzipSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded("x-gzip", gzipSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded("deflate", deflateSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded("deflate", deflateRawSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded("br", brotliCompressSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded("gzip, br", brotliCompressSync(gzipSync(zeros)))],
  // The decompress interceptor of undici ignores empty elements of the list.
  ["maxDecodedRatio", "limit", {}, encoded("gzip,", gzipSync(zeros))],
  ["maxDecodedRatio", "limit", {}, encoded(", gzip, ,", gzipSync(zeros))],
  ["maxContentCodings", "limit", {}, encoded("gzip, gzip, gzip", gzipSync(""))],
  ["maxInterimResponses", "limit", {}, interim(11)],
  ["maxInterimResponses", "limit", { maxInterimResponses: undefined } as object, interim(11)],
  ["maxHeaderBytes", "limit", {}, (response) => response.setHeader("x", "y".repeat(66_000)).end()],
  ["maxHeaderBytes", "limit", { maxHeaderBytes: 500 }, (r) => r.setHeader("x", "y".repeat(500)).end()],
  ["maxHeaderLines", "limit", {}, headerLines(198)],
  ["callTimeoutMs", "timeout", { callTimeoutMs: 20 }, () => undefined],
  ["firstByteTimeoutMs", "timeout", { firstByteTimeoutMs: 20 }, () => undefined],
  ["idleTimeoutMs", "timeout", { idleTimeoutMs: 20 }, (response) => response.write("begin")],
  ["bodyTimeoutMs", "timeout", { bodyTimeoutMs: 20 }, (response) => response.write("begin")],
  [
    "bodyTimeoutMs",
    "timeout",
    { callTimeoutMs: 200, bodyTimeoutMs: 300 },
    (response) => response.write("begin"),
  ],
];

describe("guardedAgent limits responses", () => {
  it.each(CASES)(
    "a response that exceeds the limit %s fails with the error code %s under the limits %j",
    async (limit, code, limits, respond) => {
      for (const { error } of Object.values(await fetchWithLimits(limits, respond))) {
        expect(error).toBeInstanceOf(AccessError);
        expect(error).toMatchObject({ code, limit });
      }
    },
  );

  const tenBytes = (response: ServerResponse): unknown => response.end("0123456789");
  it.each<[string, Partial<GuardedAgentLimits>, (response: ServerResponse) => void, number]>([
    ["a body of maxBodyBytes", { maxBodyBytes: 10 }, tenBytes, 10],
    [
      "no limits",
      Object.fromEntries(Object.keys(DEFAULT_GUARDED_AGENT_LIMITS).map((name) => [name, Infinity])),
      tenBytes,
      10,
    ],
    ["ten interim responses", {}, interim(10), 2],
    ["194 header lines", {}, headerLines(194), 2],
    ["a compressed body", {}, encoded("gzip", gzipSync("x".repeat(500_000))), 500_000],
    ["two codings", {}, encoded("gzip, br", brotliCompressSync(gzipSync("x".repeat(9_999)))), 9_999],
    ["raw deflate data", {}, encoded("deflate", deflateRawSync("x".repeat(9_999))), 9_999],
    ["an empty compressed body", {}, (r) => r.writeHead(204, { "content-encoding": "gzip" }).end(), 0],
    ["random compressed data", {}, encoded("gzip", gzipSync(randomBytes(3_000_000).toString("hex"))), 6e6],
  ])("fetch reads the whole response: %s", async (_, limits, respond, length) => {
    const { fetched } = await fetchWithLimits(limits, respond);
    expect(fetched.error).toBeUndefined();
    expect(fetched.text).toHaveLength(length);
  });

  it("a body with an unknown content coding is passed on without decoding", async () => {
    const { fetched, requested } = await fetchWithLimits({}, encoded("x-own", Buffer.from("coded")));
    expect([fetched.text, requested.text]).toEqual(["coded", "coded"]);
  });

  it("invalid compressed data fails with the error code protocol", async () => {
    const { fetched, requested } = await fetchWithLimits({}, encoded("gzip", Buffer.from("not compressed")));
    expect([fetched.error?.code, requested.error?.code]).toEqual(["protocol", "protocol"]);
  });

  it.each<[windowLog: number, code: string | undefined]>(
    "createZstdDecompress" in zlib
      ? [
          [23, undefined],
          [24, "unsupported"],
        ]
      : [],
  )(
    "guardedAgent receives a body with a zstd window of 2^%i bytes: the error code is %s",
    async (windowLog, code) => {
      // RFC 8878 §3.1.1.1.2: the five high bits of the window descriptor are the exponent of the window, less ten.
      const frame = Buffer.from([40, 0xb5, 47, 0xfd, 0, (windowLog - 10) << 3, 17, 0, 0, 0x6f, 0x6b]);
      const { fetched, requested } = await fetchWithLimits({}, encoded("zstd", frame));
      expect([fetched.error?.code, requested.error?.code]).toEqual([code, code]);
    },
  );

  it("guardedAgent limits the time of a request that waits for a connection", async () => {
    await using server = await startHttpServer((_, response) => response.write("begin"));
    const dispatcher = guardedAgent({ policy, limits: { maxConnectionsPerHost: 1, callTimeoutMs: 100 } });
    const first = await request(server.origin, { dispatcher });
    const error = await getRejectionCause(request(server.origin, { dispatcher }));
    expect(error).toMatchObject({ code: "timeout", limit: "callTimeoutMs" });
    first.body.on("error", () => undefined).destroy();
    await dispatcher.destroy();
  });

  it("guardedAgent limits the time to look up a host name", async () => {
    const dispatcher = guardedAgent({
      resolver: () => new Promise(() => undefined),
      limits: { dnsTimeoutMs: 20 },
    });
    const error = await getRejectionCause(request("http://name.example/", { dispatcher }));
    expect(error).toMatchObject({ code: "timeout", limit: "dnsTimeoutMs" });
  });

  it("a body that exceeds maxBodyBytes before the connection ends does not end the process", async () => {
    const server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${"x".repeat(100_000)}`);
    });
    const dispatcher = guardedAgent({ policy, limits: { maxBodyBytes: 99_999 } });
    const url = `http://127.0.0.1:${server.port}/`;
    const requests = Array.from({ length: 20 }, async () =>
      getRejectionCause(request(url, { dispatcher }).then(({ body }) => body.text())),
    );
    for (const error of await Promise.all(requests)) expect(error).toMatchObject({ limit: "maxBodyBytes" });
    await dispatcher.destroy();
    await server.stop();
  });

  it("a slow reader receives the whole compressed body", async () => {
    const text = randomBytes(2_000_000).toString("hex");
    await using server = await startHttpServer((_, response) => encoded("gzip", gzipSync(text))(response));
    const agent = guardedAgent({ policy });
    const dispatcher = agent.compose(interceptors.decompress());
    const { body } = await request(server.origin, { dispatcher });
    let received = "";
    for await (const chunk of body) {
      await new Promise(setImmediate);
      received += String(chunk);
    }
    expect(received === text).toBe(true);
    await agent.close();
  });
});

describe("responseLimitsInterceptor limits the responses of any dispatcher of undici", () => {
  it("responseLimitsInterceptor limits the responses of an agent without a guard", async () => {
    await using server = await startHttpServer((_, response) => response.end("0123456789"));
    const agent = new Agent();
    const dispatcher = agent.compose(responseLimitsInterceptor({ maxBodyBytes: 9 }));
    const error = await getRejectionCause(
      request(server.origin, { dispatcher }).then(({ body }) => body.text()),
    );
    expect(error).toMatchObject({ code: "limit", limit: "maxBodyBytes" });
    await agent.close();
  });

  it.each<[object]>([[{ maxRedirects: 1 }], [{ maxBodyBytes: 0 }]])(
    "responseLimitsInterceptor rejects the limits %j",
    (limits) => {
      expect(() => responseLimitsInterceptor(limits)).toThrow(TypeError);
    },
  );
});
