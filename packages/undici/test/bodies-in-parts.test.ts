import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { anyAddress } from "@anyscheme/core";
import { type Dispatcher, interceptors, request } from "undici";
import { expect, it } from "vitest";
import { guardedAgent, responseLimitsInterceptor } from "../src/index.ts";
import { startHttpServer } from "./http-server.ts";

const COMPRESSED = gzipSync(randomBytes(1_000).toString("hex"));
const PARTS = [COMPRESSED.subarray(0, 300), COMPRESSED.subarray(300, 600), COMPRESSED.subarray(600)];

/** After so many calls of `resume`, the dispatcher of the test passes on no further chunks. */
const MAX_RESUMES = 10;

it.each([["gzip"], ["identity"]])(
  "responseLimitsInterceptor drops the empty chunk of undici's parser after each resume, with the coding %s",
  async (coding) => {
    let resumes = 0;
    const dispatch: Dispatcher.Dispatch = (_, handler) => {
      const controller = {
        rawHeaders: [],
        pause: () => undefined,
        resume() {
          // Within a body whose next bytes have not arrived, undici's parser passes on a chunk without bytes.
          if (++resumes <= MAX_RESUMES) handler.onResponseData?.(controller, Buffer.alloc(0));
        },
      } as unknown as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, 200, { "content-encoding": coding });
      handler.onResponseData?.(controller, PARTS[0] ?? Buffer.alloc(0));
      controller.resume();
      return true;
    };
    const chunks: number[] = [];
    const { promise: received, resolve } = Promise.withResolvers<void>();
    responseLimitsInterceptor()(dispatch)(
      { path: "/", method: "GET" },
      {
        onRequestStart: () => undefined,
        onResponseData(_, chunk) {
          chunks.push(chunk.length);
          resolve();
        },
      },
    );
    await received;
    await new Promise(setImmediate);
    expect(chunks).toEqual([300]);
    expect(resumes).toBe(coding === "gzip" ? 2 : 1);
  },
);

it.each<[interceptor: string, ...interceptors: Dispatcher.DispatcherComposeInterceptor[]]>([
  ["no interceptor"],
  ["the retry interceptor", interceptors.retry()],
  ["the cache interceptor", interceptors.cache()],
])("with %s, a compressed body of known length arrives in parts", async (_, ...composed) => {
  const { promise: headReceived, resolve: sendFirstPart } = Promise.withResolvers<void>();
  const { promise: firstPartReceived, resolve: sendOtherParts } = Promise.withResolvers<void>();
  await using server = await startHttpServer((__, response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-length": COMPRESSED.length });
    response.flushHeaders();
    void headReceived.then(() => response.write(PARTS[0]));
    void firstPartReceived.then(() => {
      response.write(PARTS[1]);
      response.end(PARTS[2]);
    });
  });
  const agent = guardedAgent({ policy: anyAddress() });
  const { body } = await request(server.origin, { dispatcher: agent.compose(...composed) });
  const chunks: Buffer[] = [];
  sendFirstPart();
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    // The event loop has to run before the other parts are sent.
    setImmediate(sendOtherParts);
  }
  expect(Buffer.concat(chunks)).toEqual(COMPRESSED);
  await agent.close();
});
