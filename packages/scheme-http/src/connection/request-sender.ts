import { AccessError, type Step } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import type { HttpsOptions } from "../options.ts";
import type { HttpPlan } from "../plan.ts";
import {
  type Authorize,
  cacheCredentials,
  isStale,
  requestAuthorization,
} from "../request/authentication.ts";
import type { HttpRequest, Method } from "../request/request.ts";
import { ReceivedBytes } from "../response/received-bytes.ts";
import { traceResponse } from "../response/response.ts";
import { acquireConnection, type HttpConnection } from "./connection.ts";
import { type FinalHead, HttpExchange } from "./exchange.ts";

/** A response whose head has been read. */
export interface PendingResponse extends FinalHead {
  /** The source of the body. */
  readonly exchange: HttpExchange;
  /** True when the request had an Authorization header. */
  readonly isAuthorized: boolean;
}

/** Sends the body of a request whose head has been sent. */
export type SendBody = (exchange: HttpExchange, connection: HttpConnection) => Promise<void>;

/** Methods without side effects. Their requests can be repeated on a new connection. RFC 9110 §9.2.1. */
const SAFE_METHODS: ReadonlySet<Method> = new Set(["GET", "HEAD"]);

/** The maximum number of responses that declare the nonce of a request stale. */
const MAX_STALE_NONCES = 2;

/** Sends the requests of one plan. Adds the user's credentials after the server has requested them. */
export class RequestSender {
  readonly #plan: HttpPlan;
  readonly #context: AccessContext<unknown>;
  readonly #options: HttpsOptions;
  /** Counts the bytes received for all requests of the plan. */
  readonly receivedBytes: ReceivedBytes;
  #credentialSource: Pick<AccessContext, "requestCredentials"> | undefined;
  #authorize: Authorize | undefined;

  constructor(plan: HttpPlan, context: AccessContext<unknown>, options: HttpsOptions) {
    this.#plan = plan;
    this.#context = context;
    this.#options = options;
    this.receivedBytes = new ReceivedBytes(context.limits);
    if (plan.request.hasSecret) context.noteSecretSent();
  }

  /** Sends the request of the plan. */
  sendPlanned(sendBody?: SendBody): Promise<PendingResponse> {
    return this.send(this.#plan.phases.send, this.#plan.request, sendBody);
  }

  /** Performs a step that sends a request. Sends the request again with credentials when the server requires them. */
  async send(step: Step, request: HttpRequest, sendBody?: SendBody): Promise<PendingResponse> {
    let pending = await this.#sendAuthorized(step, request, sendBody);
    for (let stale = 0; pending.response.status === 401 && stale < MAX_STALE_NONCES; stale++) {
      // The credentials are wrong, or the caller has set an Authorization header.
      if (this.#authorize ? !isStale(pending.response) : pending.isAuthorized) break;
      this.#credentialSource ??= cacheCredentials(this.#context);
      this.#authorize = await requestAuthorization(pending.response, this.#plan.url, this.#credentialSource);
      if (!this.#authorize) break;
      pending.exchange.discardBody();
      pending = await this.#sendAuthorized(step, request, sendBody);
    }
    return pending;
  }

  async #sendAuthorized(step: Step, request: HttpRequest, sendBody?: SendBody): Promise<PendingResponse> {
    if (!this.#authorize) return this.#sendOnce(step, request, sendBody);
    const authorized = request.withHeaders([["authorization", this.#authorize(request)]]);
    return this.#sendOnce(this.#plan.phases.sendAuthorized, authorized, sendBody);
  }

  /**
   * Sends a request. Repeats a safe request on a new connection when the server had closed the idle connection. RFC
   * 9112 §9.3.1.
   */
  async #sendOnce(step: Step, request: HttpRequest, sendBody?: SendBody): Promise<PendingResponse> {
    const { limits } = this.#context;
    const { method, credentialsKey } = request;
    for (let requiresNew = !SAFE_METHODS.has(method); ; requiresNew = true) {
      const connection = await acquireConnection(this.#plan, this.#context, this.#options, {
        credentialsKey,
        requiresNew,
      });
      const exchange = new HttpExchange(method, connection, limits, this.receivedBytes);
      try {
        this.#context.beginStep(step);
        connection.socket.write(step.bytes ?? request.bytes);
        this.#context.trace({ action: "send", text: step.description });
        if (sendBody) await sendBody(exchange, connection);
        this.#context.beginStep(this.#plan.phases.receiveHead);
        const head = await exchange.readHead();
        traceResponse(head.response, this.#context);
        return { ...head, exchange, isAuthorized: request.header("authorization") !== undefined };
      } catch (error) {
        connection.close();
        const isLost = error instanceof AccessError && error.code === "incomplete";
        if (!connection.isReused || exchange.hasReceived || !isLost) throw error;
      }
    }
  }
}
