import type { Client } from "@anyscheme/core";
import {
  addDefaultOptions,
  checkArgument,
  checkOptions,
  createDuckTypeOptionKind,
} from "@anyscheme/core/plugin";
import { type GatewayServer, startGatewayHttpServer } from "./http/http-server.ts";
import { GATEWAY_OPTION_KINDS, type GatewayServerOptions } from "./options.ts";
import {
  ConcurrentRequestLimiter,
  DEFAULT_CONCURRENT_REQUEST_LIMITS,
} from "./request/concurrent-request-limiter.ts";
import { createGatewayRequestHandler } from "./routes.ts";

const BYTES_PER_MIB = 1_048_576;

const CLIENT_OPTION = createDuckTypeOptionKind("a client that createClient() has created", {
  dereference: "function",
  parse: "function",
});

/**
 * Starts a web server that shows URLs in a browser. The policy of the passed client applies to every URL. The gateway
 * does not close this client, so the caller must close it.
 */
export async function startGateway(
  client: Client,
  options: GatewayServerOptions = {},
): Promise<GatewayServer> {
  checkArgument("startGateway", "client", client, CLIENT_OPTION);
  checkOptions("startGateway", options, GATEWAY_OPTION_KINDS);
  const { host = "127.0.0.1", headersTimeoutMs = 10_000, writeTimeoutMs = 30_000 } = options;
  const origins: string[] = [];
  const handler = createGatewayRequestHandler({
    client,
    limiter: new ConcurrentRequestLimiter(
      addDefaultOptions(DEFAULT_CONCURRENT_REQUEST_LIMITS, options.concurrency ?? {}),
    ),
    gatewayOrigins: origins,
    onError: options.onError,
    maxTextBytes: options.maxTextBytes ?? BYTES_PER_MIB,
    maxRawBytes: options.maxRawBytes ?? 1024 * BYTES_PER_MIB,
  });
  const server = await startGatewayHttpServer(handler, {
    host,
    port: options.port ?? 8070,
    maxConnections: options.maxConnections ?? 1_024,
    maxConnectionsPerClient: options.maxConnectionsPerClient ?? 64,
    headersTimeoutMs,
    requestTimeoutMs: headersTimeoutMs * 3,
    writeTimeoutMs,
    maxHeaderBytes: 16_384,
    maxBodyBytes: 65_536,
  });
  origins.push(...listGatewayOrigins(host, server.port, options.allowedHosts ?? []));
  return server;
}

/**
 * Returns every origin under which browsers may access the gateway. The first origin contains the host of the option
 * `host`.
 */
function listGatewayOrigins(host: string, port: number, allowedHosts: readonly string[]): string[] {
  const origins: string[] = [];
  const address = host.includes(":") ? `[${host}]` : host;
  for (const hostName of [address, "localhost", ...allowedHosts]) {
    const name = hostName.toLowerCase();
    origins.push(`http://${name}:${port}`);
    if (port === 80 || allowedHosts.includes(hostName)) origins.push(`http://${name}`);
    // A reverse proxy may add TLS, at the same port number or at 443.
    origins.push(`https://${name}:${port}`, `https://${name}`);
  }
  return origins;
}
