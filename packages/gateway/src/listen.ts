import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Handle } from "./message.ts";
import { HttpReply } from "./reply.ts";
import { HttpRequest } from "./request.ts";

export type { IncomingMessage, ServerResponse };

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
  const request = new HttpRequest(message, gone.signal, options.maxBodyBytes);
  try {
    await handle(request, new HttpReply(response, gone.signal, options.writeTimeoutMs));
  } catch {
    // The handler answers whatever fails; what is left is a client that has gone.
    response.destroy();
  }
}
