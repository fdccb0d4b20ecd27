import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { AccessError } from "@anyscheme/core";
import { SERVER_CERTIFICATE_PEM, SERVER_PRIVATE_KEY_PEM } from "../../scheme-http/test/test-certificates.ts";

/** A server on the loopback address. */
export interface LoopbackHttpServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:port`, or the same with https. */
  readonly origin: string;
}

/** Starts an HTTP/1.1 server. */
export async function startHttpServer(listener: RequestListener): Promise<LoopbackHttpServer> {
  const server = createServer(listener);
  return listen(server, "http", () => server.closeAllConnections());
}

/** The TLS server name and the HTTP version of a request. */
export interface ReceivedTlsRequest {
  readonly serverName: string | undefined;
  readonly httpVersion: string;
}

/** Starts a server for HTTP/2 and HTTP/1.1 over TLS, which records its requests. */
export async function startSecureServer(requests: ReceivedTlsRequest[]): Promise<LoopbackHttpServer> {
  const options = { cert: SERVER_CERTIFICATE_PEM, key: SERVER_PRIVATE_KEY_PEM, allowHTTP1: true };
  const server = createSecureServer(options, (request, response) => {
    const { servername } = request.socket as { servername?: string };
    requests.push({ serverName: servername, httpVersion: request.httpVersion });
    response.setHeader("content-type", "text/plain");
    response.end("secret");
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session)).on("sessionError", () => undefined);
  server.on("secureConnection", (socket) => sessions.add(socket));
  return listen(server, "https", () => {
    for (const session of sessions) session.destroy();
  });
}

async function listen(
  server: Server,
  scheme: string,
  closeConnections: () => void,
): Promise<LoopbackHttpServer> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      closeConnections();
      await closed;
    },
  };
}

/** Returns the `AccessError` or other cause with which `fetch` rejects, or the error itself when it has no cause. */
export async function getRejectionCause(
  work: Promise<unknown>,
): Promise<Error & { code?: string; limit?: string }> {
  try {
    await work;
  } catch (error) {
    return (error instanceof AccessError ? error : ((error as Error).cause ?? error)) as Error;
  }
  throw new Error("nothing failed");
}
