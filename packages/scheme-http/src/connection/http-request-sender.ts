import { AccessError, type Step } from "@anyscheme/core";
import { formatHeadersForTrace, type HttpHeader } from "../headers.ts";
import type * as authentication from "../request/authentication.ts";
import type { RequestBodyWithType } from "../request/request-body.ts";
import { addCookies, storeCookies } from "../request/cookies.ts";
import type { HttpRequest } from "../request/http-request-head.ts";
import { startBodyUpload, type RunningBodyUpload } from "../request/upload.ts";
import { ReceivedByteCounter } from "../response/body-framing-decoder.ts";
import { formatStatus, listResponseHeaderPairs } from "../response/response-head.ts";
import { acquireHttpConnection, type HttpConnection } from "./http-connection.ts";
import { HttpExchange } from "./http-exchange.ts";
import type { HttpHopInputs } from "../http-hop-inputs.ts";

/** Methods without side effects. A request with a safe method can be repeated on a new connection. RFC 9110 §9.2.1. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * The maximum idle time of a connection that a request with side effects reuses, in milliseconds. gunicorn closes
 * an idle connection after 2 s, and Apache and Node.js after 5 s.
 */
const MAX_IDLE_FOR_UNSAFE_MS = 1_000;

/**
 * The time to wait for `100 Continue`, in milliseconds. RFC 9110 §10.1.1 specifies no time limit for the wait for `100
 * Continue`.
 */
const CONTINUE_TIMEOUT_MS = 1_000;

/**
 * The maximum number of repetitions of a request after 401 responses: one with the credentials for a challenge, and
 * one with a new Digest nonce.
 */
const MAX_REPETITIONS_AFTER_401 = 2;

/**
 * Sends the HTTP requests of one hop. Adds the user's credentials after a 401 response, or to a preemptive request.
 */
export class HttpRequestSender {
  readonly hop: HttpHopInputs;
  /** The count of the bytes received for all requests of the hop. */
  readonly receivedBytes: ReceivedByteCounter;
  readonly #body: RequestBodyWithType | undefined;
  /** The upload of the body of the last request. `undefined` if the client has sent no request body. */
  #upload: RunningBodyUpload | undefined;
  /** True after the server has refused the Expect header with status 417. */
  #omitsExpect = false;
  #hasCredentialsButNoBody = false;
  #request: Promise<HttpRequest> | undefined;
  #credentialSource: authentication.HttpAuthenticationDependencies | undefined;
  #authorize: authentication.AuthorizationHeaderFactory | undefined;
  /** True when `#authorize` answers a challenge. Before a challenge, `#authorize` adds preemptive credentials. */
  #hasAnsweredChallenge = false;

  /** `body` is the body of the request. By default, the client sends the body of the plan. */
  constructor(hop: HttpHopInputs, body: RequestBodyWithType | undefined = hop.plan.body) {
    const { plan, context } = hop;
    this.hop = hop;
    this.receivedBytes = new ReceivedByteCounter(context.limits);
    this.#body = body;
    // A body may contain a secret, such as the password of a form.
    if (plan.request.hasSecret || plan.body) context.reportSecretSent();
  }

  /**
   * The number of bytes of the request body that the client has sent. The number is `undefined` if the client has sent
   * no request body.
   */
  get sentBodyBytes(): number | undefined {
    return this.#upload?.sentBytes;
  }

  /** True when the client has credentials for a 401 response, but cannot send the body again. */
  get hasCredentialsButNoBody(): boolean {
    return this.#hasCredentialsButNoBody;
  }

  /** True unless the request body can be read only once, and the client has begun to send it. */
  get canSendBodyAgain(): boolean {
    return this.#body === undefined || this.#body.canBeSent;
  }

  /** True when the first bytes of the body follow the head of the request without a wait for `100 Continue`. */
  get #sendsBodyAtOnce(): boolean {
    return this.#body !== undefined && (this.#omitsExpect || !this.#body.awaitsContinue);
  }

  /** Returns the planned request with the cookies of the client's jar. */
  createRequestWithCookies(): Promise<HttpRequest> {
    return (this.#request ??= addCookies(this.hop));
  }

  /** Sends the planned HTTP request, and reads the head of the response. */
  async sendPlannedRequest(): Promise<HttpExchange> {
    const { plan, context } = this.hop;
    const request = context.cookies ? await this.createRequestWithCookies() : plan.request;
    return this.sendRequest(plan.phases.sendRequest, request);
  }

  /**
   * Sends a request for a step of the plan. Repeats the request with credentials after a 401 response, unless its body
   * cannot be sent again.
   */
  async sendRequest(step: Step, request: HttpRequest): Promise<HttpExchange> {
    const { plan, context } = this.hop;
    if (plan.isPreemptive) {
      const { requestCredentialsOnlyOnce, createPreemptiveHeaderFactory } = await loadAuthentication();
      this.#credentialSource ??= requestCredentialsOnlyOnce(context);
      this.#authorize ??= await createPreemptiveHeaderFactory(plan.url, this.#credentialSource);
    }
    let exchange = await this.#sendOrOmitExpect(step, request);
    for (let count = 0; exchange.responseHead.status === 401 && count < MAX_REPETITIONS_AFTER_401; count++) {
      const { requestCredentialsOnlyOnce, mayRetry401WithSameCredentials, createAuthorizationForChallenge } =
        await loadAuthentication();
      // The request is not repeated if the server refused its credentials, or if the caller set an Authorization
      // header.
      if (
        this.#authorize
          ? !mayRetry401WithSameCredentials(exchange.responseHead, !this.#hasAnsweredChallenge)
          : exchange.request.isAuthorized
      )
        break;
      this.#credentialSource ??= requestCredentialsOnlyOnce(context);
      this.#authorize = await createAuthorizationForChallenge(
        exchange.responseHead,
        plan.url,
        this.#credentialSource,
      );
      if (!this.#authorize) break;
      this.#hasAnsweredChallenge = true;
      if (!this.canSendBodyAgain) {
        this.#hasCredentialsButNoBody = true;
        break;
      }
      exchange.releaseOrClose();
      exchange = await this.#sendOnce(step, request);
    }
    if (context.cache && !SAFE_METHODS.has(request.method)) {
      const { invalidateStoredResponses } = await import("../cache/invalidation.ts");
      await invalidateStoredResponses(exchange.responseHead, request, this.hop);
    }
    return exchange;
  }

  /** Sends a request, and repeats it without the Expect header after status 417. RFC 9110 §10.1.1. */
  async #sendOrOmitExpect(step: Step, request: HttpRequest): Promise<HttpExchange> {
    const exchange = await this.#sendOnce(step, request);
    const { repeatWithoutExpect } = this.hop.plan.phases;
    if (exchange.responseHead.status !== 417 || !repeatWithoutExpect || !this.canSendBodyAgain)
      return exchange;
    this.#omitsExpect = true;
    exchange.releaseOrClose();
    return this.#sendOnce(repeatWithoutExpect, request);
  }

  /**
   * Sends a request, with the credentials that the client already has. Repeats a safe request on a new connection when
   * the server had closed the idle connection. RFC 9112 §9.3.1. Sends a request that is not safe only once, on a
   * connection that was idle for a short time, or on a new one.
   */
  async #sendOnce(givenStep: Step, plannedRequest: HttpRequest): Promise<HttpExchange> {
    const { plan, context } = this.hop;
    const { phases } = plan;
    const givenRequest = this.#omitsExpect ? plannedRequest.withoutHeader("expect") : plannedRequest;
    const [step, request] = this.#authorize
      ? [
          this.#hasAnsweredChallenge ? phases.sendAuthorizedRequest : givenStep,
          givenRequest.withHeaders([["authorization", this.#authorize(givenRequest)]]),
        ]
      : [givenStep, givenRequest];
    const { method, credentialsKey } = request;
    const isSafe = SAFE_METHODS.has(method) && !this.#body;
    for (let maxIdleMs = isSafe ? Infinity : MAX_IDLE_FOR_UNSAFE_MS; ; maxIdleMs = 0) {
      const connection = await acquireHttpConnection(this.hop, { credentialsKey, maxIdleMs });
      const exchange = new HttpExchange(request, connection, this.receivedBytes);
      try {
        context.beginStep(step);
        // The plan does not contain the cookies.
        const isPlanned = request === plan.request;
        writeHead(
          connection,
          (isPlanned ? step.bytes : undefined) ?? request.headBytes,
          this.#sendsBodyAtOnce,
        );
        if (context.isTraced)
          this.#traceHead("send", step.description, [["host", request.host], ...request.headers], (header) =>
            request.isSecretHeader(header),
          );
        if (this.#body) await this.#sendBody(this.#body, exchange, connection);
        context.beginStep(phases.receiveHead);
        await exchange.readHead();
        const { responseHead: head } = exchange;
        if (context.isTraced) {
          const statusLine = `HTTP/${head.version} ${formatStatus(head)}`;
          this.#traceHead("receive", statusLine, listResponseHeaderPairs(head));
        }
        if (context.cookies) await storeCookies(head, plan, context.cookies);
        return exchange;
      } catch (error) {
        // Another request may already use the connection of a complete exchange.
        exchange.cancel();
        const isLost = error instanceof AccessError && error.code === "incomplete";
        if (!isSafe || !connection.isReused || exchange.hasReceivedBytes || !isLost) throw error;
      }
    }
  }

  /** Traces the head of a message as one event with several lines. */
  #traceHead(
    action: "send" | "receive",
    firstLine: string,
    headers: readonly HttpHeader[],
    isSecret?: (header: HttpHeader) => boolean,
  ): void {
    const text = [firstLine, ...formatHeadersForTrace(headers, isSecret)].join("\r\n");
    this.hop.context.trace({ action, text });
  }

  /**
   * Sends the body until it is complete, or until the head of a final response arrives. An early error response or
   * redirect stops the upload (RFC 9112 §9.3). With an early 2xx response, the upload continues while the response is
   * read.
   */
  async #sendBody(
    body: RequestBodyWithType,
    exchange: HttpExchange,
    connection: HttpConnection,
  ): Promise<void> {
    const { plan, context } = this.hop;
    const { reader } = connection;
    if (!this.#sendsBodyAtOnce) {
      connection.isSendingBody = true;
      await reader.waitReadable(CONTINUE_TIMEOUT_MS);
      if (await hasFinalResponseHead(exchange, connection)) return;
    }
    context.beginStep(plan.phases.sendBody ?? plan.phases.sendRequest);
    const upload = startBodyUpload(connection, context, body);
    this.#upload = upload;
    try {
      for (;;) {
        await Promise.race([upload.completion, reader.waitReadable(Infinity)]);
        if (upload.isComplete) return;
        if (await hasFinalResponseHead(exchange, connection)) break;
      }
      if (exchange.responseHead.status < 300) exchange.attachUpload(upload);
      else upload.stop();
    } catch (error) {
      upload.stop(error);
      throw error;
    }
  }
}

/** Loads the code for credentials on first use: most requests have none, and Digest loads `node:crypto`. */
function loadAuthentication(): Promise<typeof authentication> {
  return import("../request/authentication.ts");
}

/**
 * Writes the head of a request after the events of the current iteration of the event loop. The delay lets requests
 * that follow several responses be sent together: with 50 requests of 1 KiB, a request needs 150 µs of CPU instead of
 * 185 µs (Node.js 24.21, loopback). The first bytes of a body are sent together with the head, unless the body waits
 * for `100 Continue`.
 */
function writeHead({ socket }: HttpConnection, head: Uint8Array, isBodySentAtOnce: boolean): void {
  if (!isBodySentAtOnce) {
    setImmediate(() => socket.write(head));
    return;
  }
  socket.cork();
  socket.write(head);
  process.nextTick(() => socket.uncork());
}

/**
 * True when the head of the final response has arrived. The check parses the received bytes of the response and does
 * not wait for more.
 */
async function hasFinalResponseHead(exchange: HttpExchange, { reader }: HttpConnection): Promise<boolean> {
  while (!reader.isIdle) if (await exchange.readArrivedBytes()) return true;
  return false;
}
