import type { AccessContext, Socket } from "@anyscheme/core/plugin";
import { ConnectionPool, SocketReader, type PooledConnection } from "@anyscheme/core/io";
import type { HttpHopInputs } from "../http-hop-inputs.ts";

const POOL_LIMITS = { maxIdlePerKey: 64, maxIdle: 256 } as const;

const DEFAULT_KEEP_ALIVE_TIMEOUT_MS = 4_000;

/**
 * After this time, in milliseconds, a server that closes each connection without a `Connection: close` has closed it.
 */
const MIN_IDLE_WITHOUT_STATEMENT_MS = 20;

/** An HTTP connection to one origin, which serves requests in sequence. RFC 9112 §9.3. */
export class HttpConnection implements PooledConnection {
  readonly reader: SocketReader;
  readonly #pool: ConnectionPool<HttpConnection>;
  readonly #poolKey: string;
  /** The access context of the request that uses the connection. `undefined` while the connection is idle. */
  #context: AccessContext<unknown> | undefined;
  #isReused = false;
  /** True when the connection has been open for `MIN_IDLE_WITHOUT_STATEMENT_MS` after its first response. */
  #hasStayedOpen = false;
  /** The time of the release to the pool, on the clock of `performance.now()`. */
  #idleSinceMs = 0;
  /**
   * The time for which the server keeps the idle connection, in milliseconds. `Infinity` when the server keeps the
   * connection for an unknown time, and `undefined` when its response does not mention the connection.
   */
  statedKeepAliveMs: number | undefined = undefined;
  /** True while the client sends the body of a request. The connection cannot be reused before the end of the body. */
  isSendingBody = false;

  constructor(
    reader: SocketReader,
    pool: ConnectionPool<HttpConnection>,
    poolKey: string,
    context: AccessContext<unknown>,
  ) {
    this.reader = reader;
    this.#pool = pool;
    this.#poolKey = poolKey;
    this.#context = context;
  }

  get socket(): Socket {
    return this.reader.socket;
  }

  /** True when an earlier request was sent on this connection. */
  get isReused(): boolean {
    return this.#isReused;
  }

  /** True when another request can be sent on this connection. */
  get isReusable(): boolean {
    return !this.isSendingBody && this.reader.isIdle && this.socket.writable;
  }

  /**
   * True when the connection has been idle for less than `maxIdleMs`, and the server will not close it now. The server
   * is expected to keep the connection if less than half of its stated time has passed, or if it has kept the
   * connection open after a response. If `maxIdleMs` is `Infinity`, every idle connection can be reused.
   */
  isSafeToReuse(maxIdleMs: number): boolean {
    if (maxIdleMs === Infinity) return true;
    const idleMs = performance.now() - this.#idleSinceMs;
    const isKept =
      this.statedKeepAliveMs === undefined
        ? this.#isReused || this.#hasStayedOpen
        : idleMs < this.statedKeepAliveMs / 2;
    return isKept && idleMs < maxIdleMs;
  }

  /** Assigns the idle connection to another request and applies the limits of that request. */
  reuse(context: AccessContext<unknown>): void {
    this.#context = context;
    this.#isReused = true;
    this.reader.resetLimits(context.limits);
  }

  /** Returns the connection to the pool, or closes it if it is not reusable. */
  release({ isReusable }: { readonly isReusable: boolean }): void {
    const context = this.#context;
    this.#context = undefined;
    this.#idleSinceMs = performance.now();
    // A timer records that the connection has stayed open, because a blocked event loop may process the end of the
    // connection late.
    if (isReusable && this.statedKeepAliveMs === undefined && !this.#isReused)
      setTimeout(() => (this.#hasStayedOpen = true), MIN_IDLE_WITHOUT_STATEMENT_MS).unref();
    if (isReusable && context) this.#pool.release(this.#poolKey, this, context);
    else this.close();
  }

  close(): void {
    this.reader.cancel();
  }
}

export interface ConnectionReuseCriteria {
  /** A digest of the credentials of the request. Requests with different credentials use different connections. */
  readonly credentialsKey: string;
  /** The maximum time that a reused connection was idle, in milliseconds. 0 opens a new connection. */
  readonly maxIdleMs: number;
}

/** Returns an idle connection from the pool, or opens a new connection. */
export function acquireHttpConnection(
  hop: HttpHopInputs,
  { credentialsKey, maxIdleMs }: ConnectionReuseCriteria,
): Promise<HttpConnection> {
  const { plan, context, schemeOptions } = hop;
  const { keepAliveTimeoutMs: idleTimeoutMs = DEFAULT_KEEP_ALIVE_TIMEOUT_MS } = schemeOptions;
  const pool = context.getSharedState(
    () => new ConnectionPool<HttpConnection>({ ...POOL_LIMITS, idleTimeoutMs }),
  );
  const { effectiveHost: host, effectivePort: port } = plan.url;
  // All connections of a pool have the same scheme, policy and trusted certificates.
  const certificateKey = schemeOptions.cert === undefined ? "" : " with a client certificate";
  const poolKey = `${host}:${port} ${credentialsKey}${certificateKey}`;

  function takeIdleConnection(): HttpConnection | undefined {
    if (maxIdleMs === 0) return undefined;
    const connection = pool.acquire(poolKey, context, (idle) => idle.isSafeToReuse(maxIdleMs));
    if (!connection) return undefined;
    for (const step of plan.phases.connect) context.beginStep(step);
    connection.reuse(context);
    context.trace({ action: "connect", text: "reused an idle connection" });
    return connection;
  }
  async function openNewConnection(connect: AccessContext["connect"]): Promise<HttpConnection> {
    return new HttpConnection(await openConnection(hop, connect), pool, poolKey, context);
  }
  return context.acquireConnection({ host, port }, { takeIdleConnection, openConnection: openNewConnection });
}

async function openConnection(
  { plan, context, schemeOptions }: HttpHopInputs,
  connect: AccessContext["connect"],
): Promise<SocketReader> {
  const { url, phases } = plan;
  const endpoint = { host: url.effectiveHost, port: url.effectivePort };
  for (const step of phases.connect) context.beginStep(step);
  let socket = await connect(endpoint);
  if (phases.tls) {
    context.beginStep(phases.tls);
    const { ca, cert, key, passphrase } = schemeOptions;
    const tlsOptions = { ca, cert, key, passphrase, alpnProtocols: ["http/1.1"] };
    socket = await context.startTls(socket, endpoint.host, tlsOptions);
  }
  return new SocketReader(socket, context.limits);
}
