import { AccessError, type Step } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import type { HttpsOptions } from "../options.ts";
import type { HttpPlan } from "../plan.ts";
import {
  type CreateAuthorizationHeader,
  cacheCredentials,
  createPreemptiveAuthorization,
  type HttpCredentialProvider,
  hasStaleNonce,
  requestAuthorization,
} from "../request/authentication.ts";
import type { HttpRequest, HttpMethod } from "../request/request.ts";
import { ReceivedByteCounter } from "../response/body.ts";
import { formatStatus } from "../response/response.ts";
import { acquireConnection, type HttpConnection } from "./connection.ts";
import { HttpExchange } from "./exchange.ts";

/** A function that sends the body of a request, after the head has been sent. */
export type BodySender = (exchange: HttpExchange, connection: HttpConnection) => Promise<void>;

/** Methods without side effects. A lost GET or HEAD can be repeated on a new connection. RFC 9110 §9.2.1. */
const SAFE_METHODS: ReadonlySet<HttpMethod> = new Set(["GET", "HEAD"]);

/** The maximum number of requests that are repeated because the Digest nonce was stale. */
const MAX_STALE_NONCES = 2;

/** Sends the HTTP requests of one plan. Adds the user's credentials after a 401 response, or to a preemptive request. */
export class RequestSender {
  readonly #plan: HttpPlan;
  readonly #context: AccessContext<unknown>;
  readonly #options: HttpsOptions;
  /** The count of the bytes received for all requests of the plan. */
  readonly receivedBytes: ReceivedByteCounter;
  #credentialSource: HttpCredentialProvider | undefined;
  #authorize: CreateAuthorizationHeader | undefined;

  constructor(plan: HttpPlan, context: AccessContext<unknown>, options: HttpsOptions) {
    this.#plan = plan;
    this.#context = context;
    this.#options = options;
    this.receivedBytes = new ReceivedByteCounter(context.limits);
    if (plan.request.hasSecret) context.noteSecretSent();
  }

  /** Sends the planned HTTP request, and reads the head of the response. */
  sendPlannedRequest(sendBody?: BodySender): Promise<HttpExchange> {
    return this.sendRequest(this.#plan.phases.sendRequest, this.#plan.request, sendBody);
  }

  /** Sends a request for a step of the plan. Repeats the request with credentials after a 401 response. */
  async sendRequest(step: Step, request: HttpRequest, sendBody?: BodySender): Promise<HttpExchange> {
    if (this.#plan.isPreemptive) {
      this.#credentialSource ??= cacheCredentials(this.#context);
      this.#authorize ??= await createPreemptiveAuthorization(this.#plan.url, this.#credentialSource);
    }
    let exchange = await this.#sendOnce(step, request, sendBody);
    for (let stale = 0; exchange.response.status === 401 && stale < MAX_STALE_NONCES; stale++) {
      // The server refused the credentials, or the caller has set an Authorization header.
      if (this.#authorize ? !hasStaleNonce(exchange.response) : exchange.request.isAuthorized) break;
      this.#credentialSource ??= cacheCredentials(this.#context);
      this.#authorize = await requestAuthorization(exchange.response, this.#plan.url, this.#credentialSource);
      if (!this.#authorize) break;
      exchange.discardBody();
      exchange = await this.#sendOnce(step, request, sendBody);
    }
    return exchange;
  }

  /**
   * Sends a request, with the credentials that the client already has. Repeats a safe request on a new connection
   * when the server had closed the idle connection. RFC 9112 §9.3.1.
   */
  async #sendOnce(givenStep: Step, givenRequest: HttpRequest, sendBody?: BodySender): Promise<HttpExchange> {
    const { phases, isPreemptive } = this.#plan;
    const [step, request] = this.#authorize
      ? [
          isPreemptive ? givenStep : phases.sendAuthorizedRequest,
          givenRequest.withHeaders([["authorization", this.#authorize(givenRequest)]]),
        ]
      : [givenStep, givenRequest];
    const { method, credentialsKey } = request;
    for (let requiresNew = !SAFE_METHODS.has(method); ; requiresNew = true) {
      const connection = await acquireConnection(this.#plan, this.#context, this.#options, {
        credentialsKey,
        requiresNewConnection: requiresNew,
      });
      const exchange = new HttpExchange(request, connection, this.#context.limits, this.receivedBytes);
      try {
        this.#context.beginStep(step);
        connection.socket.write(step.bytes ?? request.bytes);
        this.#context.trace({ action: "send", text: step.description });
        if (sendBody) await sendBody(exchange, connection);
        this.#context.beginStep(phases.receiveHead);
        await exchange.readHead();
        const { response } = exchange;
        this.#context.trace({
          action: "receive",
          text: `HTTP/${response.version} ${formatStatus(response)}`,
        });
        return exchange;
      } catch (error) {
        connection.close();
        const isLost = error instanceof AccessError && error.code === "incomplete";
        if (!connection.isReused || exchange.hasReceivedBytes || !isLost) throw error;
      }
    }
  }
}
