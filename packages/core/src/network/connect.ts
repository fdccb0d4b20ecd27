import { connect } from "node:net";
import { AccessError } from "../errors/access-error.ts";
import { describeNetworkFailure, getServerCertificateFaultAndAdvice } from "../errors/network-failures.ts";
import { checkTargetResolvedByProxy, resolveAndCheckTarget } from "../policy/check-target.ts";
import { isSameAddress, parseIpAddress } from "../policy/ip-address.ts";
import { createLimitError } from "../policy/limits.ts";
import {
  getNetworkKindOfAddresses,
  selectRequestOrRedirectPolicy,
} from "../policy/select-request-or-redirect-policy.ts";
import { findDataPortRefusal } from "../policy/ports.ts";
import type { ConnectTarget } from "../scheme/context.ts";
import type { Endpoint } from "../scheme/plan.ts";
import type { GuardContext, Socket } from "./guard-context.ts";
import { connectToFirst } from "./happy-eyeballs.ts";
import { addLinkLocalZone, getZone, rejectZoneBehindProxyOrGateway } from "./link-local-zone.ts";
import type { ParsedProxyServerSettings } from "./proxy/proxy-settings.ts";

/**
 * The server address, proxy and TLS session of a connection that the guard has opened. A TCP connection and its TLS
 * connection share one object.
 */
export interface GuardedSocketInfo {
  /** The checked address of the server, or the name that the proxy has resolved. */
  readonly host: string;
  readonly proxy: ParsedProxyServerSettings | undefined;
  /** The latest TLS session, for resumption. */
  tlsSession?: Buffer;
}

const guardedSocketInfoKey: unique symbol = Symbol("guardedSocketInfo");

/**
 * Stores the server address, proxy and TLS session of a connection in its socket. The property is not enumerable, so a
 * printed socket does not show the TLS session.
 */
export function setGuardedSocketInfo(socket: Socket, info: GuardedSocketInfo): void {
  Object.defineProperty(socket, guardedSocketInfoKey, { value: info, configurable: true });
}

/**
 * Returns the stored server address, proxy and TLS session of a connection. `undefined` for a connection that the guard
 * has not opened.
 */
export function getGuardedSocketInfo(
  socket: Socket & { readonly [guardedSocketInfoKey]?: GuardedSocketInfo },
): GuardedSocketInfo | undefined {
  return socket[guardedSocketInfoKey];
}

/**
 * Opens a guarded connection. Checks port and name, looks the name up once, and checks the addresses. Connects to a
 * checked address, and checks that the peer has this address. A proxy connects to a checked address, or to a name that
 * it resolves. Throws `refused-port`, `refused-name`, `refused-address`, `unavailable`, `timeout`, `proxy`.
 */
export async function connectTo(context: GuardContext, target: ConnectTarget): Promise<Socket> {
  if ("samePeerAs" in target) return connectToSamePeer(context, target);
  if (context.proxy) return connectThroughProxyTo(context, context.proxy, target);
  const checked = resolveAndCheckTarget(context, target);
  const addresses = "then" in checked ? await checked : checked;
  const [only] = addresses;
  if (addresses.length > 1 || only === undefined)
    return connectToFirst(context, target, addresses, (attempt, address) =>
      connectToAddress(attempt, { host: address, port: target.port }, Infinity),
    );
  return connectToOnlyAddress(context, target, only);
}

/** Connects through a proxy to one of the checked addresses of a target, or to the name that the proxy resolves. */
async function connectThroughProxyTo(
  context: GuardContext,
  proxy: ParsedProxyServerSettings,
  target: Endpoint,
): Promise<Socket> {
  const { connectThroughProxy } = await import("./proxy/connect-through-proxy.ts");
  const isResolvedByProxy = proxy.resolveBy === "proxy" && parseIpAddress(target.host) === undefined;
  if (isResolvedByProxy) await checkTargetResolvedByProxy(context, target);
  const hosts = isResolvedByProxy ? [target.host] : await resolveAndCheckTarget(context, target);
  rejectZoneBehindProxyOrGateway(context.linkLocalZone, hosts, "proxy");
  return connectToFirst(context, target, hosts, (attempt, host) =>
    connectThroughProxy(attempt, proxy, { host, port: target.port }),
  );
}

/** Opens a data connection to the server of an open connection, through the same proxy. */
async function connectToSamePeer(
  context: GuardContext,
  target: ConnectTarget & { readonly samePeerAs: Socket },
): Promise<Socket> {
  const { host, proxy } = getControlConnection(context, target);
  const server = { host, port: target.port };
  if (!proxy) return connectToOnlyAddress(context, server, host);
  context.signal.throwIfAborted();
  const { connectThroughProxy } = await import("./proxy/connect-through-proxy.ts");
  return connectToFirst(context, server, [host], (attempt) => connectThroughProxy(attempt, proxy, server));
}

/**
 * Returns the address and proxy of an open control connection, for a data connection. The guard checked the server's
 * address when the control connection was opened. FTP servers choose the ports of data connections, which therefore
 * have a separate port rule.
 */
function getControlConnection(
  { policySelectionInput, schemePorts }: GuardContext,
  { samePeerAs, port }: ConnectTarget & { readonly samePeerAs: Socket },
): GuardedSocketInfo {
  const connection = getGuardedSocketInfo(samePeerAs);
  if (connection === undefined)
    throw new AccessError(
      "refused-address",
      "a data connection requires an open connection of the guard to the same peer",
    );
  if (samePeerAs.remoteAddress === undefined || samePeerAs.destroyed)
    throw new AccessError("unavailable", "the control connection of the data connection is closed");
  const refusal = findDataPortRefusal(
    port,
    schemePorts,
    selectRequestOrRedirectPolicy(policySelectionInput, getNetworkKindOfAddresses([connection.host])),
  );
  if (refusal !== undefined) throw new AccessError("refused-port", refusal);
  return connection;
}

/** Connects to the only address of a server. */
async function connectToOnlyAddress(
  context: GuardContext,
  { host, port }: Endpoint,
  address: string,
): Promise<Socket> {
  context.signal.throwIfAborted();
  try {
    return await connectToAddress(context, { host: address, port });
  } catch (error) {
    throw prependFailedActionToErrorReason(error, `cannot connect to ${host} port ${port}`, context.signal);
  }
}

/** Connects to one address of a server. The reasons of the thrown errors do not state the address of the server. */
async function connectToAddress(
  context: GuardContext,
  { host: address, port }: Endpoint,
  timeoutMs?: number,
): Promise<Socket> {
  const host = addLinkLocalZone(context.linkLocalZone, address);
  const socket = connect({ host, port, noDelay: true });
  context.onSocket(socket);
  await waitForConnect(context, socket, "connect", timeoutMs);
  const peer = socket.remoteAddress ?? "";
  const isInOtherZone = host !== address && getZone(peer) !== getZone(host);
  if (peer !== address && (isInOtherZone || !isSameAddress(peer, address))) {
    socket.destroy();
    if (peer === "") {
      const cause = Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
      throw new AccessError("unavailable", "connection closed by the server", { cause });
    }
    throw new AccessError(
      "refused-address",
      `the connection leads to ${peer} and not to the checked address ${host}`,
    );
  }
  setGuardedSocketInfo(socket, { host: address, proxy: undefined });
  context.trace({ action: "connect", text: `${host} port ${port}` });
  return socket;
}

/**
 * Waits for the event with which a socket reports that it is connected. Destroys the socket on a failure, on an abort,
 * and after `timeoutMs`.
 */
export function waitForConnect(
  { signal, limits }: GuardContext,
  socket: Socket,
  event: "connect" | "secureConnect",
  timeoutMs: number = limits.connectTimeoutMs,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: unknown): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      if (error === undefined) return resolve();
      // Without a listener, a late error event of the destroyed socket would end the process.
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const onEvent = (): void => finish();
    const onError = (cause: Error): void => {
      const init = { cause, ...getServerCertificateFaultAndAdvice(cause) };
      finish(new AccessError("unavailable", describeNetworkFailure(cause), init));
    };
    const onClose = (): void =>
      finish(new AccessError("unavailable", "connection closed by the server", { isTemporary: true }));
    const onAbort = (): void => finish(signal.reason);
    const onTimeout = (): void => finish(createLimitError("connectTimeoutMs", limits, "timed out"));
    const timer = timeoutMs === Infinity ? undefined : setTimeout(onTimeout, timeoutMs);
    socket.on(event, onEvent).on("error", onError).on("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/**
 * The codes of errors that state only the reason of a failed connection. An error with which the guard refuses a
 * connection has another code.
 */
const CODES_WITHOUT_FAILED_ACTION: ReadonlySet<string> = new Set(["unavailable", "timeout", "unsupported"]);

/**
 * Returns a copy of a connection's error whose reason begins with the failed action, as in `TLS with h.example failed:
 * timed out`. Returns a refusal of the guard, and any error after an abort, unchanged.
 */
export function prependFailedActionToErrorReason(
  error: unknown,
  place: string,
  { aborted }: AbortSignal,
): unknown {
  if (aborted || !(error instanceof AccessError) || !CODES_WITHOUT_FAILED_ACTION.has(error.code))
    return error;
  const { code, reason, cause, certificate, advice, limit, isTemporary } = error;
  return new AccessError(code, `${place}: ${reason}`, { cause, certificate, advice, limit, isTemporary });
}
