import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getClientSubnet } from "./gateway-client-subnet.ts";
import { GatewayRequest } from "./request.ts";
import { GatewayResponse } from "./response.ts";

export type { IncomingMessage, ServerResponse };

export type GatewayRequestHandler = (request: GatewayRequest, response: GatewayResponse) => Promise<void>;

export interface GatewayHttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  /** The maximum number of open connections from one client network (see `getClientSubnet`). */
  readonly maxConnectionsPerClient: number;
  /** The time limit for the header section of a request, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** The time limit for receiving a whole request with its body, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** The time limit for one write to a client that does not read, in milliseconds. */
  readonly writeTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
}

/** A running gateway. */
export interface GatewayServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Stops the HTTP server of the gateway, and aborts the running requests. */
  close(): Promise<void>;
}

/** Starts the HTTP server of the gateway. Throws the system error if the server cannot listen on the port. */
export async function startGatewayHttpServer(
  handler: GatewayRequestHandler,
  options: GatewayHttpServerOptions,
): Promise<GatewayServer> {
  const server = createServer({
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.max(100, Math.min(options.headersTimeoutMs / 4, 5_000)),
    keepAliveTimeout: 5_000,
  });
  server.maxConnections = options.maxConnections;
  limitConnectionsPerClient(server, options.maxConnectionsPerClient);
  server.maxRequestsPerSocket = 1_000;
  server.on("request", (message, response) => void handleHttpMessage(handler, message, response, options));
  // The gateway offers no tunnels. Node.js removes its time limits and its error listener from the socket of a CONNECT
  // request. Without a listener for `upgrade`, Node.js ignores the header field Upgrade (RFC 9110 §7.8).
  server.on("connect", (_, socket) => {
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n", () => socket.destroy());
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  server.listen({ host: options.host, port: options.port });
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  return { host: options.host, port, close, [Symbol.asyncDispose]: close };
}

/**
 * Closes each new connection of a client that already has the maximum number of open connections. Without a limit on
 * the connections of each client, the half-sent requests of one client would use all of `maxConnections`.
 */
function limitConnectionsPerClient(server: Server, maxConnections: number): void {
  const openConnections = new Map<string, number>();
  server.on("connection", (socket) => {
    const client = getClientSubnet(socket.remoteAddress ?? "");
    const count = openConnections.get(client) ?? 0;
    if (count >= maxConnections) {
      socket.destroy();
      return;
    }
    openConnections.set(client, count + 1);
    socket.once("close", () => {
      const remaining = (openConnections.get(client) ?? 1) - 1;
      if (remaining > 0) openConnections.set(client, remaining);
      else openConnections.delete(client);
    });
  });
}

async function handleHttpMessage(
  handler: GatewayRequestHandler,
  message: IncomingMessage,
  response: ServerResponse,
  options: GatewayHttpServerOptions,
): Promise<void> {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  response.on("error", () => undefined);
  const { signal } = controller;
  try {
    await handler(
      new GatewayRequest(message, signal, options.maxBodyBytes),
      new GatewayResponse(response, signal, options.writeTimeoutMs),
    );
  } catch {
    // The request handler itself responds to every failure except a lost connection.
    response.destroy();
  }
}
