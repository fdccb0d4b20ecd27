import { type AccessErrorCode, AccessError, type Step } from "@anyscheme/core";
import {
  type AccessContext,
  type ByteSource,
  type Endpoint,
  createSendStep,
  type TlsOptions,
  type Credentials,
} from "@anyscheme/core/plugin";
import {
  hashCredentials,
  decodeDotStuffedSource,
  isRefusedOrReset,
  type Reply,
  type RunStepsOptions,
} from "@anyscheme/core/io";
import { mapDataBlockLines } from "../listing/data-block-lines.ts";
import { encodeNntpCommand } from "../commands.ts";
import type { NntpRequestPlan } from "../plan.ts";
import { NntpConnectionCache, PooledNntpConnection, createConnectionPoolKey } from "./pooled-connection.ts";
import { createNntpReplyError, NntpReplyError } from "./reply.ts";

const CLOSED_BY_SERVER_ERROR_CODES: ReadonlySet<AccessErrorCode> = new Set(["incomplete", "unavailable"]);

/** Runs the steps of a request on an idle connection or on a new connection. */
export class NntpRequestRunner {
  readonly #plan: NntpRequestPlan;
  readonly #context: AccessContext;
  readonly #tls: TlsOptions;
  readonly #cache: NntpConnectionCache;
  readonly #runOptions: RunStepsOptions<Reply>;
  #current: PooledNntpConnection | undefined;
  #credentials: Promise<Credentials | undefined> | undefined;
  /**
   * The reply with which the server has refused OVER. After this refusal, the session requests the overview only with
   * XOVER.
   */
  #overRefusal: Reply | undefined;
  #isFinished = false;

  constructor(plan: NntpRequestPlan, context: AccessContext, tls: TlsOptions) {
    this.#plan = plan;
    this.#context = context;
    this.#tls = tls;
    this.#cache = context.getSharedState(() => new NntpConnectionCache());
    this.#runOptions = {
      getCommandWithSecret: (step) => this.#encodeLogin(step),
      getKnownReply: ({ command }) => (command === "OVER" ? this.#overRefusal : undefined),
      onReply: (reply, step) => this.#onReply(reply, step),
      createReplyError: (reply, step) =>
        createNntpReplyError(reply, step, this.#connection.commandConnection.isSecure),
    };
  }

  get #connection(): PooledNntpConnection {
    if (!this.#current) throw new Error("the session has not started");
    return this.#current;
  }

  /**
   * Selects the group of the plan, unless the group of an article is already selected, and runs `steps`. Returns the
   * last reply. Connects again if the NNTP server closes a reused connection before the first reply, or if it has too
   * many connections.
   */
  async start(steps: readonly Step[]): Promise<Reply> {
    for (let mayReuse = true; ;) {
      const isReused = await this.#acquire(mayReuse);
      try {
        return await this.#selectGroupAndRun(steps);
      } catch (error) {
        const { commandConnection } = this.#connection;
        const isLost = isReused && commandConnection.replyCount === 0 && !this.#context.signal.aborted;
        if (!isLost && !(await this.#mayRetry(error))) throw error;
        if (isLost) mayReuse = false;
        this.#connection.close();
      }
    }
  }

  /** Runs the given steps of the NNTP plan. Returns the last reply. */
  async runSteps(steps: readonly Step[]): Promise<Reply> {
    const reply = await this.#connection.commandConnection.run(steps, this.#runOptions);
    if (!reply) throw new Error("none of the steps expects a reply");
    return reply;
  }

  /** Requests the overview of a range of article numbers. Returns the last reply. */
  async requestOverviewRange(low: number, high: number): Promise<Reply> {
    const { commandConnection } = this.#connection;
    for (const step of this.#plan.retrieve) {
      const { command, spec, onReply = "" } = step;
      if (command === undefined || (command === "OVER" && this.#overRefusal)) {
        await this.runSteps([step]);
      } else if (commandConnection.lastReply?.code.startsWith(onReply)) {
        this.#context.beginStep(step);
        const range = `${low}-${high}`;
        const bytes = encodeNntpCommand(command, range);
        commandConnection.send(createSendStep(bytes, spec, `${command} ${range}`, { command }));
      }
    }
    return this.runSteps([]);
  }

  /** Returns the data block after the last NNTP reply, without the final line with a single dot. */
  readDataBlock(): ByteSource {
    return decodeDotStuffedSource(this.#connection.commandConnection.reader);
  }

  /**
   * Returns the source of the last data block that the NNTP server sends for the request. The session releases the NNTP
   * connection at the end of the data block.
   */
  readLastDataBlock(): ByteSource {
    const source = this.readDataBlock();
    return {
      readChunks: async (onChunk) => {
        const state = await source.readChunks(onChunk);
        if (state === "end") this.release();
        return state;
      },
      cancel: () => this.abort(),
    };
  }

  /** Returns the NNTP connection to the pool. */
  release(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const connection = this.#current;
    connection?.commandConnection.detachFromRequest();
    if (connection)
      this.#cache.pool.release(this.#poolKey(connection.loginDigest), connection, this.#context);
  }

  /** Closes the NNTP connection, unless the session has released it. */
  abort(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#current?.close();
  }

  async #selectGroupAndRun(steps: readonly Step[]): Promise<Reply> {
    const { kind, group, selectGroup } = this.#plan;
    // An overview needs a new reply to GROUP, because the articles of the group may have changed.
    const isSelected = kind === "article" && this.#connection.selectedGroup === group;
    let reply: Reply | undefined;
    if (selectGroup.length > 0 && !isSelected) {
      reply = await this.runSteps(selectGroup);
      this.#connection.selectedGroup = group;
    }
    if (steps.length > 0) reply = await this.runSteps(steps);
    if (!reply) throw new Error("no step of the plan expects a reply");
    return reply;
  }

  /**
   * Acquires an idle NNTP connection, or opens a new connection. Returns true if the client reuses an idle connection.
   */
  async #acquire(mayReuse: boolean): Promise<boolean> {
    // A pooled connection serves only requests with the same login.
    const isLoginRequired = this.#cache.requiresLogin(this.#plan.server);
    const credentials = isLoginRequired ? await this.#requestCredentials() : undefined;
    const key = this.#poolKey(credentials && hashCredentials([credentials.user ?? "", credentials.password]));
    let isReused = false;
    this.#current = await this.#context.acquireConnection(this.#target, {
      takeIdleConnection: () => {
        const idle = mayReuse ? this.#takeIdle(key) : undefined;
        isReused = idle !== undefined;
        return idle;
      },
      openConnection: (connect) => this.#open(connect),
      isServerFull: (error) => this.#isServerFull(error),
    });
    return isReused;
  }

  /**
   * Acquires an idle NNTP connection from the pool. Prefers a connection on which the group of the request is already
   * selected.
   */
  #takeIdle(key: string): PooledNntpConnection | undefined {
    const { pool } = this.#cache;
    const isSelected = ({ selectedGroup }: PooledNntpConnection): boolean =>
      selectedGroup === this.#plan.group;
    const connection = pool.acquire(key, this.#context, isSelected) ?? pool.acquire(key, this.#context);
    connection?.commandConnection.attachToRequest(this.#context);
    return connection;
  }

  async #open(connect: AccessContext["connect"]): Promise<PooledNntpConnection> {
    this.#current = undefined;
    const connection = await PooledNntpConnection.connect(this.#plan, this.#context, {
      connect,
      tls: this.#tls,
    });
    this.#current = connection;
    await this.runSteps(this.#plan.connect);
    return connection;
  }

  get #target(): Endpoint {
    const { effectiveHost: host, effectivePort: port } = this.#plan.server;
    return { host, port };
  }

  #poolKey(login: string | undefined): string {
    return createConnectionPoolKey(this.#plan.server, login, this.#context.limits);
  }

  /** True when an error while connecting means that the server has too many connections. */
  #isServerFull(error: unknown): boolean {
    if (error instanceof NntpReplyError) return error.reply.code === "400" || error.isTooManyConnections;
    if (!this.#current) return isRefusedOrReset(error);
    const { replyCount } = this.#current.commandConnection;
    return replyCount === 0 && error instanceof AccessError && CLOSED_BY_SERVER_ERROR_CODES.has(error.code);
  }

  /**
   * Waits until another connection closes, if the server has too many connections. Returns true if the caller should
   * retry the request.
   */
  async #mayRetry(error: unknown): Promise<boolean> {
    const isTooMany = error instanceof NntpReplyError && error.isTooManyConnections;
    return isTooMany && this.#context.reportServerFull(this.#target);
  }

  #onReply(reply: Reply, step: Step | undefined): undefined | Promise<Reply> {
    if (step?.command === "OVER" && reply.code.startsWith("5")) this.#overRefusal = reply;
    if (reply.code === "101") return this.#readCapabilities(reply);
    return reply.code === "281" ? this.#recordLogin(reply) : undefined;
  }

  /**
   * Reads the capabilities. A server lists MODE-READER before it switches to reader mode, and READER afterwards (RFC
   * 3977 §3.4.2).
   */
  async #readCapabilities(reply: Reply): Promise<Reply> {
    const { limits } = this.#context;
    const parseLabel = (line: string): string => line.split(/[ \t]/, 1)[0]?.toUpperCase() ?? "";
    const labels = await Array.fromAsync(
      mapDataBlockLines(this.readDataBlock(), limits, parseLabel, { bytes: "maxReplyBytes" }),
    );
    const canSwitch = labels.includes("MODE-READER") && !labels.includes("READER");
    // Later NNTP steps compare this reply code with their condition `onReply`.
    return canSwitch ? { ...reply, code: "101 MODE-READER" } : reply;
  }

  async #recordLogin(reply: Reply): Promise<Reply> {
    const credentials = await this.#credentials;
    if (credentials) {
      this.#connection.loginDigest = hashCredentials([credentials.user ?? "", credentials.password]);
      this.#cache.recordLoginRequired(this.#plan.server);
    }
    return reply;
  }

  /**
   * Encodes an NNTP login command with the caller's credentials. The plan contains no bytes for login commands (RFC
   * 4643 §2.3).
   */
  async #encodeLogin({ onReply }: Step): Promise<Uint8Array> {
    const credentials = await this.#requestCredentials();
    const { user, password } = credentials ?? {};
    if (user === undefined || password === undefined) {
      const reason = credentials ? "the server requires a user name" : "the server requires a login";
      const advice =
        'write credentials: ({ host }) => host === "news.example" ? { user, password } : undefined';
      throw new AccessError("authentication-required", reason, { advice });
    }
    return onReply === "480"
      ? encodeNntpCommand("AUTHINFO USER", user, "user name")
      : encodeNntpCommand("AUTHINFO PASS", password, { name: "password", isSecret: true });
  }

  /** Requests the credentials from the caller, at most once. */
  #requestCredentials(): Promise<Credentials | undefined> {
    const { scheme, host, effectivePort: port } = this.#plan.server;
    return (this.#credentials ??= this.#context.requestCredentials({
      scheme,
      host,
      port,
      requestedSecret: "password",
    }));
  }
}
