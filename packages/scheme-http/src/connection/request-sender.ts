import { AccessError, type Step } from "@anyscheme/core";
import type { AccessContext, Socket } from "@anyscheme/core/plugin";
import { writeCoalesced } from "@anyscheme/core/io";
import {
  requestAuthorization,
  type Authorize,
  isStale,
  cacheCredentials,
} from "../request/authentication.ts";
import { connect, exchanging, type HttpConnection } from "./connection.ts";
import { HttpExchange } from "./exchange.ts";
import type { BodyFraming } from "../response/body-framing.ts";
import type { HttpsOptions } from "../options.ts";
import { type Context, enter, type HttpPlan, NO_END } from "../plan.ts";
import type { HttpRequest, Method } from "../request/request.ts";
import { ReceivedBytes } from "../response/received-bytes.ts";
import { type HttpResponse, traceResponse } from "../response/response.ts";

/** The answer to a request. */
export interface ResponseStart {
  readonly response: HttpResponse;
  readonly framing: BodyFraming;
  readonly exchange: HttpExchange;
  /** Whether the request had an Authorization field. */
  readonly authorized: boolean;
}

/** Sends the content of a request, if it has one; called when the head has gone out. */
export type SendBody = (exchange: HttpExchange, connection: HttpConnection) => Promise<void>;

/** Requests that change nothing, so that one that got lost with its connection can be sent again. RFC 9110 §9.2.1. */
const SAFE_METHODS: ReadonlySet<Method> = new Set(["GET", "HEAD"]);

/** Nonces that may go stale in one access; a server that finds every one stale is not asked for ever. */
const MAX_STALE = 2;

/** The requests of one access. Who has told who they are need not tell it again. */
export class RequestSender {
  readonly #plan: HttpPlan;
  readonly #context: Context;
  readonly #settings: HttpsOptions;
  /** What all its connections have received. */
  readonly received: ReceivedBytes;
  #asking: Pick<AccessContext, "requestCredentials"> | undefined;
  #authorize: Authorize | undefined;

  constructor(plan: HttpPlan, context: Context, settings: HttpsOptions) {
    this.#plan = plan;
    this.#context = context;
    this.#settings = settings;
    this.received = new ReceivedBytes(context.limits);
    if (plan.request.hasSecret) context.noteSecretSent();
  }

  /** Performs the request of the plan, or one like it, with the user's credentials if the server wants them. */
  async send(request: HttpRequest = this.#plan.request, sendContent?: SendBody): Promise<ResponseStart> {
    let answer = await this.#ask(this.#authorized(request), sendContent);
    for (let stale = 0; answer.response.status === 401 && stale < MAX_STALE; stale++) {
      // Credentials that a caller gave with the headers are no business of the callback.
      if (request.header("authorization") !== undefined) break;
      if (this.#authorize && !isStale(answer.response)) break;
      this.#asking ??= cacheCredentials(this.#context);
      this.#authorize = await requestAuthorization(answer.response, this.#plan.url, this.#asking);
      if (!this.#authorize) break;
      answer.exchange.discardBody();
      answer = await this.#ask(this.#authorized(request), sendContent);
    }
    return answer;
  }

  #authorized(request: HttpRequest): HttpRequest {
    if (!this.#authorize || request.header("authorization") !== undefined) return request;
    return request.withHeaders([["authorization", this.#authorize(request)]]);
  }

  async #ask(request: HttpRequest, sendContent?: SendBody): Promise<ResponseStart> {
    const { credentialsKey: identity } = request;
    for (let fresh = !SAFE_METHODS.has(request.method); ; fresh = true) {
      const connection = await connect(this.#plan, this.#context, this.#settings, { identity, fresh });
      const exchange = new HttpExchange(
        request.method,
        exchanging(connection, this.#context),
        this.#context.limits,
        this.received,
      );
      try {
        this.#send(request, connection.socket);
        if (sendContent) await sendContent(exchange, connection);
        enter(this.#plan, this.#context, "expect");
        const { readHead: response, framing } = await exchange.readHead();
        traceResponse(response, this.#context);
        const authorized = request.header("authorization") !== undefined;
        return { response, framing, exchange, authorized };
      } catch (error) {
        connection.close();
        // RFC 9112 §9.3.1: a server may close a connection at any time, also while a request is on its way to it.
        const lost = error instanceof AccessError && error.code === "incomplete";
        if (!connection.isReused || exchange.hasReceived || !lost) throw error;
      }
    }
  }

  #send(request: HttpRequest, socket: Socket): void {
    const step = this.#stepOf(request);
    if (step) this.#context.beginStep(step);
    const bytes = step?.bytes ?? request.bytes;
    writeCoalesced(socket, bytes);
    this.#context.trace({ action: "send", text: step?.description ?? request.line });
  }

  /** The plan's own request, the same with credentials, or one that goes on where a connection broke. */
  #stepOf(request: HttpRequest): Step | undefined {
    const { request: planned, steps } = this.#plan;
    const authorized = request.header("authorization") !== planned.header("authorization");
    const when = request === planned ? undefined : authorized ? "401" : NO_END;
    return steps.find((step) => step.action === "send" && step.onReply === when);
  }
}
