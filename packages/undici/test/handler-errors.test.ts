import { gzipSync } from "node:zlib";
import { anyAddress } from "@anyscheme/core";
import { Agent, type Dispatcher, fetch, interceptors, request } from "undici";
import { describe, expect, it } from "vitest";
import { guardedAgent, responseLimitsInterceptor } from "../src/index.ts";
import { getRejectionCause, startHttpServer, type LoopbackHttpServer } from "./http-server.ts";

const body = gzipSync("text");

/**
 * Starts a server that upgrades connections, and answers other requests with a gzip body and the given
 * Content-Encoding.
 */
function startServer(coding: string): Promise<LoopbackHttpServer> {
  return startHttpServer((incoming, response) => {
    if (incoming.headers.upgrade === undefined)
      response.writeHead(200, { "content-encoding": coding }).end(body);
    else response.socket?.end("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: own\r\n\r\n");
  });
}

type Callback = keyof Dispatcher.DispatchHandler;

/**
 * Makes a request with a handler that throws in a callback. Returns the messages of the errors that the handler
 * receives.
 */
async function receiveErrors(
  dispatcher: Dispatcher,
  { origin, callback }: { readonly origin: string; readonly callback: Callback },
): Promise<string[]> {
  const messages: string[] = [];
  await new Promise<void>((resolve) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onRequestUpgrade: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: () => undefined,
      onResponseEnd: () => undefined,
      onBodySent: () => undefined,
      onRequestSent: () => undefined,
      onResponseError(_, error) {
        messages.push(error.message);
        resolve();
      },
      [callback]() {
        throw new Error(`thrown in ${callback}`);
      },
    };
    const upgrade = callback === "onRequestUpgrade" ? "own" : null;
    const method = upgrade === null ? "PUT" : "GET";
    dispatcher.dispatch(
      { origin, path: "/", method, upgrade, body: upgrade === null ? "sent" : null },
      handler,
    );
  });
  return messages;
}

describe("onResponseError of a handler receives an error that the handler throws", () => {
  const codings = ["x-own", "gzip"];
  const callbacks = [
    "onRequestStart",
    "onBodySent",
    "onRequestSent",
    "onResponseStart",
    "onResponseData",
    "onResponseEnd",
    "onRequestUpgrade",
  ] as const;
  const cases = codings.flatMap((coding) => callbacks.map((callback) => [callback, coding] as const));

  it.each(cases)(
    "onResponseError receives an error that %s throws, with the content coding %s",
    async (callback, coding) => {
      await using server = await startServer(coding);
      const plain = new Agent();
      const limited = new Agent();
      const { origin } = server;
      expect([
        await receiveErrors(plain, { origin, callback }),
        await receiveErrors(limited.compose(responseLimitsInterceptor()), { origin, callback }),
      ]).toEqual([[`thrown in ${callback}`], [`thrown in ${callback}`]]);
      await Promise.all([plain.destroy(), limited.destroy()]);
    },
  );
});

describe("the retry interceptor decides by the status whether to repeat a request", () => {
  const gzip = { "content-encoding": "gzip" };
  it.each<[status: number, headers: Record<string, string>]>([
    [503, {}],
    [503, gzip],
    [429, { "retry-after": "0" }],
    [500, gzip],
  ])(
    "the retry interceptor repeats a request after the status %i with the header fields %j",
    async (status, headers) => {
      let requests = 0;
      await using server = await startHttpServer((_, response) => {
        const isFirst = ++requests % 2 === 1;
        response
          .writeHead(isFirst ? status : 200, isFirst ? headers : gzip)
          .end(gzipSync(`request ${requests}`));
      });
      const agent = guardedAgent({ policy: anyAddress() });
      const dispatcher = agent.compose(interceptors.retry({ minTimeout: 1, maxRetries: 2 }));
      expect(await (await fetch(server.origin, { dispatcher })).text()).toBe("request 2");
      const decoding = dispatcher.compose(interceptors.decompress());
      expect(await (await request(server.origin, { dispatcher: decoding })).body.text()).toBe("request 4");
      await agent.close();
    },
  );

  it.each([
    [503, {}],
    [503, gzip],
    [500, {}],
  ] as const)(
    "the request rejects after the status %i with the header fields %j when no attempt is left",
    async (status, headers) => {
      let requests = 0;
      await using server = await startHttpServer((_, response) => {
        requests++;
        response.writeHead(status, headers).end(gzipSync("failed"));
      });
      const agent = guardedAgent({ policy: anyAddress() });
      const dispatcher = agent.compose(interceptors.retry({ minTimeout: 1, maxRetries: 2 }));
      for (const work of [fetch(server.origin, { dispatcher }), request(server.origin, { dispatcher })])
        expect(await getRejectionCause(work)).toMatchObject({
          code: "UND_ERR_REQ_RETRY",
          statusCode: status,
        });
      expect(requests).toBe(6);
      await agent.close();
    },
  );
});
