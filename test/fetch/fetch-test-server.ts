import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

/** A server with the paths and responses that the cases of the Fetch standard need. */
export interface FetchTestServer extends AsyncDisposable {
  /** The origin of the server, as in `http://127.0.0.1:8080`. */
  readonly origin: string;
}

/** The request that the server has received, as `/echo` returns it. */
export interface EchoedRequest {
  readonly method: string;
  readonly url: string;
  /** The header fields of the received request, as pairs of name and value in order. */
  readonly headers: readonly (readonly [string, string])[];
  /** The body of the received request, with one character per byte. */
  readonly body: string;
}

/** The body of most responses of the `fetch` test server. */
export const SERVER_TEXT = "the words of the server";

type Handler = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => unknown;

const CODINGS: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(SERVER_TEXT),
  "x-gzip": gzipSync(SERVER_TEXT),
  GZIP: gzipSync(SERVER_TEXT),
  deflate: deflateSync(SERVER_TEXT),
  "raw-deflate": deflateRawSync(SERVER_TEXT),
  br: brotliCompressSync(SERVER_TEXT),
  "deflate, gzip": gzipSync(deflateSync(SERVER_TEXT)),
  identity: Buffer.from(SERVER_TEXT),
  unknown: Buffer.from(SERVER_TEXT),
  broken: Buffer.from(SERVER_TEXT),
  short: gzipSync(SERVER_TEXT).subarray(0, 20),
};

/** The value of Content-Encoding for each body that is not named after its content coding. */
const CODING_NAMES: Readonly<Record<string, string>> = {
  "raw-deflate": "deflate",
  broken: "gzip",
  short: "gzip",
};

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers: [string, string][] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    headers.push([request.rawHeaders[index] ?? "", request.rawHeaders[index + 1] ?? ""]);
  const { method = "", url = "" } = request;
  const body = Buffer.concat(chunks).toString("latin1");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method, url, headers, body }));
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  "/echo": echo,
  "/text": (_, response) => response.end(SERVER_TEXT),
  "/empty": (_, response) => response.end(),
  "/status": async (request, response, query) => {
    request.resume();
    await once(request, "end");
    response.writeHead(Number(query.get("code")), query.get("reason") ?? undefined, {
      "x-a": "1",
      etag: '"v"',
      ...(query.has("location") && { location: query.get("location") ?? "" }),
    });
    response.end(query.get("body") ?? "");
  },
  "/headers": (_, response) => {
    response.setHeader("x-a", ["1", "2"]);
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.setHeader("x-latin", "caf\u00e9");
    response.setHeader("x-empty", "");
    response.end(SERVER_TEXT);
  },
  "/coding": (_, response, query) => {
    const name = query.get("name") ?? "";
    response.setHeader("content-encoding", CODING_NAMES[name] ?? name);
    response.end(CODINGS[name]);
  },
  "/type": (_, response, query) => {
    response.setHeader("content-type", query.get("type") ?? "");
    response.end(Buffer.from(query.get("body") ?? "", "latin1"));
  },
  "/parts": async (_, response) => {
    for (const part of ["one ", "two ", "three"]) {
      response.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  },
  "/cut-length": (_, response) => {
    response.setHeader("content-length", "100");
    response.write("half", () => response.destroy());
  },
  "/cut-chunks": (_, response) => void response.write("half", () => response.destroy()),
  "/reset": (request) => request.socket.destroy(),
  "/hang": () => undefined,
  "/hang-in-body": (_, response) => void response.write("half"),
  "/range": (request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (from === undefined || to === undefined) return response.end(SERVER_TEXT);
    const part = SERVER_TEXT.slice(Number(from), Number(to) + 1);
    return response
      .writeHead(206, { "content-range": `bytes ${from}-${to}/${SERVER_TEXT.length}` })
      .end(part);
  },
  "/conditional": (request, response) => {
    const isSame = request.headers["if-none-match"] === '"v"';
    response.writeHead(isSame ? 304 : 200, { etag: '"v"', "x-a": "1" }).end(isSame ? undefined : SERVER_TEXT);
  },
  "/count": (_, response, query) => {
    const left = Number(query.get("left"));
    if (left === 0) return response.end("arrived");
    return response.writeHead(302, { location: `/count?left=${left - 1}` }).end();
  },
  "/early": (_, response) => response.writeHead(413, { connection: "close" }).end("too large"),
};

/** Starts the server on a free loopback port. */
export async function startFetchTestServer(): Promise<FetchTestServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://h");
    const handler = HANDLERS[pathname] ?? ((_, missing) => missing.writeHead(404).end("none"));
    // A request handler of this server fails when the client closes the connection, as in some test cases.
    void Promise.resolve(handler(request, response, searchParams)).catch(() => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
