import { http } from "@anyscheme/scheme-http";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import { Duplex } from "node:stream";
import { array, assert, asyncProperty, constantFrom, nat, tuple } from "fast-check";
import { Client } from "undici";
import { expect, it } from "vitest";
import { HttpExchange } from "../../src/connection/http-exchange.ts";
import { ReceivedByteCounter } from "../../src/response/body-framing-decoder.ts";
import { createReleaseRecordingConnection } from "../connection/fake-connection.ts";

const CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([http()]);

interface ParsedResponse {
  readonly status: number;
  readonly content: string;
}

/** Parses a response with HttpExchange. Returns `undefined` for a malformed response. */
async function parseWithThisPackage(bytes: Buffer): Promise<ParsedResponse | undefined> {
  let given = false;
  const source = {
    readChunks: (take: (bytes: Uint8Array) => boolean) => {
      if (given) return Promise.resolve("end" as const);
      given = true;
      // A receiver may change the bytes of a chunk.
      take(Uint8Array.from(bytes));
      return Promise.resolve("more" as const);
    },
    cancel: () => undefined,
  };
  try {
    const exchange = new HttpExchange(
      { method: "GET", isAuthorized: false },
      createReleaseRecordingConnection(source).connection,
      new ReceivedByteCounter(CLIENT_LIMITS),
    );
    await exchange.readHead();
    const parts: Buffer[] = [];
    while ((await exchange.readChunks((piece) => parts.push(Buffer.from(piece)) > 0)) === "more");
    return { status: exchange.responseHead.status, content: Buffer.concat(parts).toString("latin1") };
  } catch {
    return undefined;
  }
}

/** Parses a response with undici's parser, llhttp. */
function parseWithUndici(bytes: Buffer): Promise<ParsedResponse | undefined> {
  const socket = new Duplex({ read: () => undefined, write: (_, __, done) => done(), autoDestroy: false });
  socket.on("error", () => undefined);
  let connections = 0;
  const client = new Client("http://origin.invalid", {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_, callback) =>
      queueMicrotask(() =>
        connections++ === 0 ? callback(null, socket as never) : callback(new Error("once"), null),
      ),
  });
  return new Promise((resolve) => {
    let status = 0;
    const parts: Buffer[] = [];
    const finish = (read: ParsedResponse | undefined): void => {
      resolve(read);
      // undici throws if the socket is destroyed inside a callback of its parser.
      setImmediate(() => {
        socket.destroy();
        client.destroy().catch(() => undefined);
      });
    };
    client.dispatch(
      { path: "/", method: "GET" },
      {
        // undici refuses a response that arrives before the request was sent.
        onRequestStart: () =>
          void setImmediate(() => {
            socket.push(bytes);
            socket.push(null);
          }),
        onResponseStart: (_, code) => void (status = code),
        onResponseData: (_, chunk) => void parts.push(Buffer.from(chunk)),
        onResponseEnd: () => finish({ status, content: Buffer.concat(parts).toString("latin1") }),
        onResponseError: () => finish(undefined),
      },
    );
  });
}

const VALID_RESPONSES = [
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n",
  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
  "HTTP/1.1 103 Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
  "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
];

const RANDOM_INSERTIONS = [
  ..."\r\n\t :;,=-0123456789abcdefABCDEFxHTP/.\0\x7f\x80\xff".split(""),
  "\r\n",
  "\r\n\r\n",
  "\n\n",
  "Content-Length: 3\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity\r\n",
  "Connection: close\r\n",
  "HTTP/1.0 200 OK\r\n",
  "0\r\n\r\n",
];

const arbitraryEditedResponses = tuple(
  constantFrom(...VALID_RESPONSES),
  array(tuple(nat({ max: 999 }), nat({ max: 3 }), constantFrom(...RANDOM_INSERTIONS)), {
    minLength: 1,
    maxLength: 3,
  }),
).map(([base, edits]) =>
  edits.reduce((text, [place, removed, piece]) => {
    const at = Math.floor((place * text.length) / 1000);
    return text.slice(0, at) + piece + text.slice(at + removed);
  }, base),
);

it("the client parses valid http responses with the same result as undici", async () => {
  for (const response of VALID_RESPONSES) {
    const bytes = Buffer.from(response, "latin1");
    expect(await parseWithThisPackage(bytes)).toEqual(await parseWithUndici(bytes));
    expect(await parseWithThisPackage(bytes)).toBeDefined();
  }
});

/** The responses that RFC 9110 and RFC 9112 allow and undici refuses. */
const ALLOWED_PARSER_DIFFERENCES: readonly (readonly [
  section: string,
  allows: (text: string, read: ParsedResponse) => boolean,
])[] = [
  [
    "RFC 9110 8.6: a 304 may have the Content-Length of the body that it omits",
    (_, { status }) => status === 304,
  ],
  [
    "RFC 9110 15.2: an interim response may have any header",
    (text) => /^HTTP\/1\.1 1\d\d[^]*?close[^]*?\r\n\r\n/i.test(text),
  ],
  [
    "RFC 9112 7.1.1: a recipient accepts blanks around the parts of a chunk extension",
    (text) => /\r\n[\da-f]+(?:;[^\r]*)?[\t ]/i.test(text),
  ],
];

it("the client parses every accepted response with random edits as undici does", async () => {
  let read = 0;
  await assert(
    asyncProperty(arbitraryEditedResponses, async (text) => {
      const bytes = Buffer.from(text, "latin1");
      const result = await parseWithThisPackage(bytes);
      if (!result || ALLOWED_PARSER_DIFFERENCES.some(([, allows]) => allows(text, result))) return;
      read++;
      expect(result).toEqual(await parseWithUndici(bytes));
    }),
    // The seed of the random numbers is fixed, so that a difference between the parsers is reproducible.
    { numRuns: 3000, seed: 1738 },
  );
  // The test does not compare responses that HttpExchange refuses.
  expect(read).toBeGreaterThan(200);
});
