import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Socket } from "node:net";
import { checkServerIdentity } from "node:tls";
import { AccessError } from "../errors/access-error.ts";

/** The server to which an agent of `node:http` or `node:https` needs a connection. */
export interface AgentConnectionTarget {
  readonly host: string;
  /** The port of the HTTP server. Default: 80 for http, 443 for https. */
  readonly port: number | undefined;
  /** The name in the Host header, for which the server's TLS certificate must be valid. Default: `host`. */
  readonly serverName: string | undefined;
}

/** Opens a connection for an agent of `node:http` or `node:https`. */
export type OpenAgentConnection = (target: AgentConnectionTarget) => Promise<Socket>;

/** The options of `node:http` that the agents accept, and the maximum number of connections to one host and port. */
export interface HttpAgentSocketOptions extends Pick<
  AgentOptions,
  "keepAlive" | "keepAliveMsecs" | "maxFreeSockets" | "scheduling" | "timeout"
> {
  readonly maxSockets: number;
}

type CreateConnectionOptions = ClientRequestArgs & {
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
};
type OnConnection = (error: Error | null, socket: Socket) => void;

/**
 * An HTTP request that waits in an agent for a connection. The type definitions of Node.js do not declare that
 * `onSocket` may receive an error.
 */
interface QueuedRequest {
  readonly closed: boolean;
  onSocket(socket: null, error: unknown): void;
}

/** An agent of `node:http` whose connections the guard opens. */
export class GuardedHttpAgent extends HttpAgent {
  readonly #open: OpenAgentConnection;

  constructor(open: OpenAgentConnection, options: HttpAgentSocketOptions) {
    super(options);
    this.#open = open;
  }

  override createConnection(options: CreateConnectionOptions, onConnection?: OnConnection): undefined {
    void createAgentConnection(this, this.#open, options, onConnection);
  }
}

/** An agent of `node:https` whose connections the guard opens. */
export class GuardedHttpsAgent extends HttpsAgent {
  readonly #open: OpenAgentConnection;

  constructor(open: OpenAgentConnection, options: HttpAgentSocketOptions) {
    super(options);
    this.#open = open;
  }

  override createConnection(options: CreateConnectionOptions, onConnection?: OnConnection): undefined {
    void createAgentConnection(this, this.#open, options, onConnection);
  }
}

async function createAgentConnection(
  agent: HttpAgent,
  open: OpenAgentConnection,
  options: CreateConnectionOptions,
  onConnection: OnConnection = () => undefined,
): Promise<void> {
  const name = agent.getName(options);
  // Node.js compares only the number of open connections with maxSockets. With a placeholder socket in its list,
  // Node.js also counts the connection that is being opened.
  const placeholder = new Socket();
  const sockets = agent.sockets as Record<string, Socket[] | undefined>;
  (sockets[name] ??= []).push(placeholder);
  let socket: Socket | undefined;
  try {
    rejectUnsupportedOptions(options);
    if (agent instanceof HttpsAgent) rejectTlsOptions({ ...options });
    const { host, port, servername } = options;
    socket = await open({
      host: host ?? "localhost",
      port: port == null ? undefined : Number(port),
      serverName: servername === "" ? undefined : servername,
    });
    // The method `destroy` of the agent destroys all sockets, and thus the placeholder.
    if (placeholder.destroyed) throw new AccessError("aborted", "the agent was destroyed");
    if (options.timeout) socket.setTimeout(options.timeout);
    removePlaceholder(sockets, name, placeholder);
    if (socket.isPaused()) resumeAtFirstListener(socket);
    onConnection(null, socket);
  } catch (error) {
    socket?.destroy();
    removePlaceholder(sockets, name, placeholder);
    onConnection(error as Error, placeholder);
    // Node.js fails the request of this connection at the next tick. Until the next tick, the failed request may still
    // be in the queue of the agent.
    process.nextTick(failQueuedRequests, agent, name, error);
  }
}

/**
 * Resumes a socket when a listener for its data is added. A socket is paused after the handshake with a proxy, and
 * Node.js does not resume the socket of a request.
 */
function resumeAtFirstListener(socket: Socket): void {
  const onListener = (event: string | symbol): void => {
    if (event !== "data") return;
    socket.off("newListener", onListener);
    socket.resume();
  };
  socket.on("newListener", onListener);
}

function removePlaceholder(
  sockets: Record<string, Socket[] | undefined>,
  name: string,
  placeholder: Socket,
): void {
  const left = sockets[name]?.filter((each) => each !== placeholder) ?? [];
  if (left.length > 0) sockets[name] = left;
  else delete sockets[name];
}

/** Throws an error for request options that would bypass the guard, or that the guard does not implement. */
function rejectUnsupportedOptions({
  socketPath,
  localAddress,
  rejectUnauthorized,
}: CreateConnectionOptions): void {
  if (socketPath != null)
    throw new AccessError("unsupported", "an agent with a guard does not connect to Unix domain sockets");
  if (localAddress !== undefined)
    throw new AccessError("unsupported", "an agent with a guard does not support the option localAddress");
  if (rejectUnauthorized === false)
    throw new AccessError("unsupported", "an agent with a guard always verifies certificates", {
      advice: "add the certificate of the issuer with the option ca of the agent",
    });
}

/** The TLS options of a request that decide which server or client is trusted, or which protocol protects the data. */
const TLS_OPTIONS = [
  "ca",
  "cert",
  "checkServerIdentity",
  "ciphers",
  "crl",
  "key",
  "maxVersion",
  "minVersion",
  "passphrase",
  "pfx",
  "secureContext",
  "secureProtocol",
];

/** Throws for TLS options of a request, because the guard opens connections with the options of the agent. */
function rejectTlsOptions(options: Readonly<Record<string, unknown>>): void {
  // got passes the default `checkServerIdentity` of Node.js with every request.
  const given = TLS_OPTIONS.find((name) => options[name] != null && options[name] !== checkServerIdentity);
  if (given === undefined) return;
  throw new AccessError("unsupported", `an agent with a guard does not support the request option ${given}`, {
    advice: "set ca, cert, key and passphrase as options of the agent",
  });
}

/**
 * Fails the requests that wait for a connection to the same server. Node.js serves a waiting request only when another
 * request ends, and there may be no other request to this server.
 */
function failQueuedRequests(agent: HttpAgent, name: string, error: unknown): void {
  if (agent.sockets[name] !== undefined) return;
  const requests = agent.requests as unknown as Record<string, QueuedRequest[] | undefined>;
  const queued = requests[name] ?? [];
  delete requests[name];
  for (const request of queued) if (!request.closed) request.onSocket(null, error);
}
