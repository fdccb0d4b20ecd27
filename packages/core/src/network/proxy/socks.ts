import { Duplex } from "node:stream";
import type { SocksClient } from "socks";
import { AccessError } from "../../errors/access-error.ts";
import type { Endpoint } from "../../scheme/plan.ts";
import type { GuardContext, Socket } from "../guard-context.ts";
import { readProxyHandshakeReply } from "./read-handshake-reply.ts";
import { describeProxy, PROXY_LOGIN_ADVICE, type ParsedProxyServerSettings } from "./proxy-settings.ts";

/** The SOCKS5 replies that concern the server, by their names in the package `socks`. RFC 1928 §6. */
const SERVER_FAILURES: Readonly<Record<string, string>> = {
  Failure: "general failure",
  NetworkUnreachable: "the network is unreachable",
  HostUnreachable: "no route to the host",
  ConnectionRefused: "connection refused",
  TTLExpired: "timed out",
  AddressNotSupported: "the proxy does not support this address family",
};

/**
 * The maximum time limit for the package `socks`, which never clears its timer. The default time limit of the package
 * `socks` is 30 s.
 */
const MAX_HANDSHAKE_MS = 3_600_000;

interface ProxyFailure {
  /** Matches the error message of the package `socks`. */
  readonly pattern: RegExp;
  /** The words between the proxy and the server in the error message, as in `refuses the login for`. */
  readonly meaning: string;
  readonly advice?: string;
}

const PROXY_FAILURES: readonly ProxyFailure[] = [
  { pattern: /rejected connection - NotAllowed$/, meaning: "refuses a connection to" },
  {
    pattern: /no accepted authentication type/,
    meaning: "requires a login for",
    advice: PROXY_LOGIN_ADVICE,
  },
  { pattern: /Authentication failed/, meaning: "refuses the login for" },
  { pattern: /rejected connection - CommandNotSupported$/, meaning: "does not support connections to" },
];

/**
 * Asks a SOCKS5 proxy for a connection to a server. Throws `unavailable` when the proxy cannot connect to the server,
 * `proxy` for every other refusal, and `unsupported` without the package `socks`. RFC 1928, RFC 1929.
 */
export async function requestSocksTunnel(
  context: GuardContext,
  proxy: ParsedProxyServerSettings,
  socket: Socket,
  server: Endpoint,
): Promise<void> {
  const { SocksClient: Client } = await loadSocks();
  // The package `socks` does not receive the socket, because the socket would then emit the first bytes of the server
  // before a reader listens.
  const link = new Duplex({
    read: () => undefined,
    write: (bytes: Uint8Array, _, done) => void socket.write(bytes, () => done()),
  });
  const { login } = proxy;
  const client: SocksClient = new Client({
    command: "connect",
    destination: { host: server.host, port: server.port },
    proxy: {
      type: 5,
      host: proxy.host,
      port: proxy.port,
      ...(login && { userId: login.user, password: login.password }),
    },
    existing_socket: link,
    timeout: Math.ceil(Math.min(context.limits.connectTimeoutMs, MAX_HANDSHAKE_MS)),
  });
  let isEstablished = false;
  const refused = new AbortController();
  client.once("established", ({ remoteHost }) => {
    isEstablished = remoteHost !== undefined;
    // The package `socks` accepts a SOCKS5 reply with an unknown type of address, and does not read the address.
    if (!isEstablished) refused.abort(createSocksError("unknown address type", proxy, server));
  });
  // The error object of the package `socks` contains the proxy login, so only the message of the error is used.
  client.once("error", ({ message }) => refused.abort(createSocksError(message, proxy, server)));
  const signal = AbortSignal.any([context.signal, refused.signal]);
  const answered = readProxyHandshakeReply({ ...context, signal }, proxy, socket, (bytes) => {
    // The package `socks` parses all bytes that it receives. The package `socks` receives single bytes of the proxy, so
    // that the server's bytes after the handshake stay unread.
    for (const [index] of bytes.entries()) {
      link.emit("data", bytes.subarray(index, index + 1));
      signal.throwIfAborted();
      if (isEstablished) return bytes.subarray(index + 1);
    }
    return undefined;
  });
  try {
    client.connect(link);
    await answered;
  } finally {
    client.removeAllListeners();
    client.on("error", () => undefined);
    link.destroy();
  }
}

/** Loads the package `socks`, which programs without SOCKS5 proxies need not install. */
function loadSocks(): Promise<{ readonly SocksClient: typeof SocksClient }> {
  return import("socks").catch((cause: unknown) => {
    throw new AccessError("unsupported", "a SOCKS5 proxy needs the package socks, which cannot be loaded", {
      cause,
      advice: "install it with: npm install socks; a bundler must leave it out of an ES module",
    });
  });
}

function createSocksError(
  message: string,
  proxy: ParsedProxyServerSettings,
  { host, port }: Endpoint,
): AccessError {
  const [, reply = ""] = /rejected connection - (\w+)$/.exec(message) ?? [];
  if (Object.hasOwn(SERVER_FAILURES, reply))
    return new AccessError("unavailable", `${describeProxy(proxy)} answers: ${SERVER_FAILURES[reply]}`);
  const failure = PROXY_FAILURES.find(({ pattern }) => pattern.test(message));
  if (failure === undefined)
    return new AccessError("proxy", `${describeProxy(proxy)} does not answer as a SOCKS5 proxy`);
  const { meaning, advice } = failure;
  return new AccessError("proxy", `${describeProxy(proxy)} ${meaning} ${host} port ${port}`, { advice });
}
