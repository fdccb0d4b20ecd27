import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Socket } from "node:net";
import { AccessError } from "../errors/access-error.ts";

/** The parameters of a connection that an agent of `node:http` needs. */
export interface AgentConnectionTarget {
  readonly host: string;
  /** The port. Default: the port of the scheme. */
  readonly port: number | undefined;
  /** The name in the Host header, for TLS. Default: `host`. */
  readonly serverName: string | undefined;
}

/** Opens a connection of an agent. */
export type OpenAgentConnection = (target: AgentConnectionTarget) => Promise<Socket>;

/** The options of `node:http` that the agents accept, and the number of connections to one host and port. */
export interface AgentPoolOptions extends Pick<
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

/** A request that waits in an agent. The type definitions of Node.js omit `onSocket` with an error. */
interface QueuedRequest {
  readonly closed: boolean;
  onSocket(socket: null, error: unknown): void;
}

/** An agent of `node:http` whose connections the guard opens. */
export class GuardedHttpAgent extends HttpAgent {
  readonly #open: OpenAgentConnection;

  constructor(open: OpenAgentConnection, options: AgentPoolOptions) {
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

  constructor(open: OpenAgentConnection, options: AgentPoolOptions) {
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
  // Node.js compares only the number of open connections with maxSockets. The placeholder makes it include the
  // connection that is being opened.
  const placeholder = new Socket();
  const sockets = agent.sockets as Record<string, Socket[] | undefined>;
  (sockets[name] ??= []).push(placeholder);
  try {
    rejectUnsupportedOptions(options);
    const { host, port, servername } = options;
    const socket = await open({
      host: host ?? "localhost",
      port: port == null ? undefined : Number(port),
      serverName: servername === "" ? undefined : servername,
    });
    if (options.timeout) socket.setTimeout(options.timeout);
    removePlaceholder(sockets, name, placeholder);
    onConnection(null, socket);
  } catch (error) {
    removePlaceholder(sockets, name, placeholder);
    onConnection(error as Error, placeholder);
    // Node.js fails the request of this connection at the next tick. Until then, the request may be in the queue.
    process.nextTick(failQueuedRequests, agent, name, error);
  }
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

/**
 * Fails the requests that wait for a connection to the same server. Node.js continues waiting requests only when
 * another request ends, and there may be no other request to this server.
 */
function failQueuedRequests(agent: HttpAgent, name: string, error: unknown): void {
  if (agent.sockets[name] !== undefined) return;
  const requests = agent.requests as unknown as Record<string, QueuedRequest[] | undefined>;
  const queued = requests[name] ?? [];
  delete requests[name];
  for (const request of queued) if (!request.closed) request.onSocket(null, error);
}
