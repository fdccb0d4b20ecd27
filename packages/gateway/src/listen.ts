import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { GatewayReply, GatewayRequest, Handle } from "./message.ts";
import { Refusal } from "./status.ts";

/** Where the gateway listens, and what it bears. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Open connections. */
  readonly maxConnections: number;
  /** For a request's head, in milliseconds: slow senders of headers are cut off. */
  readonly headTimeoutMs: number;
  /** For a whole request, its body included. */
  readonly requestTimeoutMs: number;
  /** For one write to a client that does not read. */
  readonly writeTimeoutMs: number;
  readonly maxHeadBytes: number;
  readonly maxBodyBytes: number;
}

/** A gateway that listens. */
export interface Listening extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Stops listening and ends what is under way. */
  close(): Promise<void>;
}

/** Listens. This is the one room that opens a port; it dials nobody. Throws what the system says of the port. */
export async function listen(handle: Handle, options: ListenOptions): Promise<Listening> {
  const server = createServer({
    maxHeaderSize: options.maxHeadBytes,
    headersTimeout: options.headTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.max(100, Math.min(options.headTimeoutMs / 4, 5_000)),
    keepAliveTimeout: 5_000,
  });
  server.maxConnections = options.maxConnections;
  server.maxRequestsPerSocket = 1_000;
  server.on("request", (message, response) => void serve(handle, message, response, options));
  // Nobody is tunnelled anywhere, and nothing is upgraded.
  server.on("connect", (_, socket) =>
    socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n"),
  );
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const port = await bound(server, options);
  return { host: options.host, port, close, [Symbol.asyncDispose]: close };
}

function bound(server: Server, { host, port }: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

async function serve(
  handle: Handle,
  message: IncomingMessage,
  response: ServerResponse,
  options: ListenOptions,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  response.on("error", () => undefined);
  const request: GatewayRequest = {
    method: message.method ?? "",
    target: message.url ?? "",
    header: (name) => firstOf(message.headers[name]),
    client: message.socket.remoteAddress ?? "",
    body: () => bodyOf(message, options.maxBodyBytes),
    signal: gone.signal,
  };
  try {
    await handle(request, replyTo(message, response, gone.signal, options));
  } catch {
    // The handler answers whatever fails; what is left is a client that has gone.
    response.destroy();
  }
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return typeof value === "object" ? value[0] : value;
}

async function bodyOf(message: IncomingMessage, limit: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) throw new Refusal(413, "the form is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function replyTo(
  message: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
  { writeTimeoutMs }: ListenOptions,
): GatewayReply {
  const headOnly = message.method === "HEAD";
  let head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
  let begun = false;
  // What follows at once, such as the end of a short content, goes out together with the beginning.
  const holdBeginning = (): void => {
    if (begun) return;
    begun = true;
    response.cork();
    setImmediate(() => response.uncork());
  };
  const sendHead = (more: Readonly<Record<string, number>> = {}): void => {
    if (head) response.writeHead(head.status, { ...head.headers, ...more });
    head = undefined;
  };
  return {
    headOnly,
    get begun() {
      return response.headersSent;
    },
    begin(status, headers) {
      head = { status, headers };
    },
    write(chunk) {
      sendHead();
      holdBeginning();
      if (gone.aborted) return Promise.reject(new Error("the client has gone"));
      if (headOnly || response.write(chunk)) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => response.destroy(), writeTimeoutMs);
        const finish = (settle: () => void) => (): void => {
          clearTimeout(timer);
          response.off("drain", drained).off("close", closed);
          settle();
        };
        const drained = finish(resolve);
        const closed = finish(() => reject(new Error("the client has gone")));
        response.once("drain", drained).once("close", closed);
      });
    },
    end(last = "") {
      const bare = headOnly || head?.status === 304 || head?.headers["content-length"] !== undefined;
      sendHead(bare ? {} : { "content-length": Buffer.byteLength(last) });
      response.end(headOnly ? "" : last);
    },
    cut: () => void response.destroy(),
  };
}
