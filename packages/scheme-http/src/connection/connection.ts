import type { Socket } from "@anyscheme/core/plugin";
import { ConnectionPool, SocketReader, type PooledConnection } from "@anyscheme/core/io";
import type { Connection } from "./exchange.ts";
import type { HttpsOptions } from "../options.ts";
import { type Context, enter, type HttpPlan } from "../plan.ts";

/**
 * How many connections wait for another request, and how long: less than the 5 s of Node's servers, the shortest that is
 * common. As many as a busy caller has requests under way at once; each costs a descriptor and no more.
 */
const IDLE = { idleTimeoutMs: 4_000, maxIdlePerKey: 64, maxIdle: 256 } as const;

/** A connection to an origin, for one request after the other. RFC 9112 §9.3. */
export class HttpConnection implements PooledConnection {
  readonly reader: SocketReader;
  /** Whom it may serve again. */
  readonly key: string;
  /** Whether it has served a request before, so that its server may have closed it meanwhile. */
  isReused = false;
  /** Whether the content of a request is not out yet: nothing else may be sent then. */
  isSendingBody = false;

  constructor(reader: SocketReader, key: string) {
    this.reader = reader;
    this.key = key;
  }

  get socket(): Socket {
    return this.reader.socket;
  }

  get isReusable(): boolean {
    return !this.isSendingBody && this.reader.isIdle && this.socket.writable;
  }

  close(): void {
    this.reader.cancel();
  }
}

/** A connection to the same origin, for whoever may use it, that waits for another request; the step of the plan is entered. */
function waiting(plan: HttpPlan, context: Context, identity: string): HttpConnection | undefined {
  const connection = idleOf(context).acquire(keyOf(plan, identity), context);
  if (!connection) return undefined;
  enter(plan, context, "connect");
  connection.reader.resetLimits(context.limits);
  connection.isReused = true;
  context.trace({ action: "connect", text: "a connection that was open" });
  return connection;
}

/**
 * A connection for one request: one that waits for another request, unless it has to be `fresh`, or a new one. `identity` sets
 * requests with credentials apart; it is empty without.
 */
export function connect(
  plan: HttpPlan,
  context: Context,
  settings: HttpsOptions,
  { identity, fresh }: { readonly identity: string; readonly fresh: boolean },
): HttpConnection | Promise<HttpConnection> {
  const take = (): HttpConnection | undefined => (fresh ? undefined : waiting(plan, context, identity));
  const { effectiveHost: host, effectivePort: port } = plan.url;
  return (
    take() ??
    context.acquireConnection(
      { host, port },
      {
        takeIdle: take,
        open: async () => new HttpConnection(await open(plan, context, settings), keyOf(plan, identity)),
      },
    )
  );
}

// The scheme, its TLS options and the policy are the same for all that is kept here; the address is the connection's own.
function keyOf({ url }: HttpPlan, identity: string): string {
  return `${url.effectiveHost}:${url.effectivePort} ${identity}`;
}

async function open(
  plan: HttpPlan,
  context: Context,
  { ca, cert, key, passphrase }: HttpsOptions,
): Promise<SocketReader> {
  enter(plan, context, "resolve");
  const target = enter(plan, context, "connect")?.target;
  if (!target) throw new Error("the plan has no connection");
  if (plan.url.scheme === "http") return SocketReader.connect(context, target);
  const socket = await context.connect(target);
  enter(plan, context, "tls");
  const options = { ca, cert, key, passphrase, alpnProtocols: ["http/1.1"] };
  return SocketReader.fromSocket(await context.startTls(socket, target.host, options), context.limits);
}

/** The connection as an exchange uses it: kept for another request, or closed. */
export function exchanging(connection: HttpConnection, context: Context): Connection {
  return {
    source: connection.reader,
    ended(reusable) {
      if (reusable) idleOf(context).release(connection.key, connection, context);
      else connection.close();
    },
  };
}

function idleOf(context: Context): ConnectionPool<HttpConnection> {
  return context.getShared(() => new ConnectionPool<HttpConnection>(IDLE));
}
