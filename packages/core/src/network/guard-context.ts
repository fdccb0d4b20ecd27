import type { Socket } from "node:net";
import { createIntegerOptionKind, type OptionKind } from "../options/option-kinds.ts";
import type { TraceEventInit } from "../scheme/context.ts";
import type { ParsedProxyServerSettings } from "./proxy/proxy-settings.ts";
import type { CoreLimits } from "../policy/limits.ts";
import type { PolicySelectionInput } from "../policy/select-request-or-redirect-policy.ts";
import type { SchemePortProperties } from "../policy/ports.ts";
import type { Resolver } from "./resolver.ts";

/**
 * A connection that the guard has opened. Code outside the folder `network` must not import `node:net`, and uses this
 * type instead.
 */
export type { Socket };

/** The default of `connectionAttemptDelayMs`, which RFC 8305 §5 recommends. */
export const DEFAULT_CONNECTION_ATTEMPT_DELAY_MS = 250;

/** The kind of the option `connectionAttemptDelayMs`, with the least and the greatest delay of RFC 8305 §8. */
export const connectionAttemptDelayOptionKind: OptionKind = createIntegerOptionKind(10, 2_000);

/** A handle of Node.js that prevents the process from exiting until `unref` is called. */
export interface UnrefableHandle {
  ref(): unknown;
  unref(): unknown;
}

export interface CloseableHandle extends UnrefableHandle {
  close(): void;
}

/** The input of the guard: the parts of a request that determine its connections. */
export interface GuardContext {
  readonly policySelectionInput: PolicySelectionInput;
  readonly schemePorts: SchemePortProperties;
  readonly limits: CoreLimits;
  /** The time between the starts of attempts to connect to the addresses of one host, in milliseconds. */
  readonly connectionAttemptDelayMs: number;
  readonly resolver: Resolver;
  /**
   * The zone (network interface) for connections to link-local IPv6 addresses. With `undefined`, the system chooses the
   * network interface of link-local addresses.
   */
  readonly linkLocalZone: string | undefined;
  /** The proxy of the connection. Datagrams cannot pass a proxy. */
  readonly proxy: ParsedProxyServerSettings | undefined;
  readonly signal: AbortSignal;
  trace(event: TraceEventInit): void;
  /**
   * Called with every socket before it connects, so that the end of the request can destroy it. `carrier` is the TCP
   * connection below a TLS connection.
   */
  onSocket(socket: Socket, carrier?: Socket): void;
  /**
   * Called with every datagram socket before it sends. Returns a function, which the caller calls when the datagram
   * socket has closed.
   */
  onDatagramSocket(socket: CloseableHandle): () => void;
  /** Called with the addresses that the guard allows, before a connection to one of these addresses is opened. */
  onAddressesChecked(addresses: readonly string[]): void;
}
