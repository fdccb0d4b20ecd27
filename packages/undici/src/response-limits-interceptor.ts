import { addDefaultOptions, createLimitError } from "@anyscheme/core/plugin";
import { Dispatcher1Wrapper, type Dispatcher } from "undici";
import { SharedDeadlineTimer, type RequestWithDeadline } from "./shared-deadline-timer.ts";
import { DecodedSizeMeter } from "./decoded-size.ts";
import { DecodedSizeCheckQueue } from "./decoded-size-check-queue.ts";
import { DispatchControllerPausedDuringSizeCheck } from "./dispatch-controller-paused-during-size-check.ts";
import { DEFAULT_GUARDED_AGENT_LIMITS, checkResponseLimitOptions, type ResponseLimits } from "./options.ts";

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Handler["onResponseStart"]>>[2];

/** The type definitions of undici omit `wrapHandler`. */
const { wrapHandler } = Dispatcher1Wrapper as unknown as {
  wrapHandler: (this: void, handler: Handler) => Handler;
};

/**
 * Returns an interceptor of undici that limits responses in size, time and number of interim responses. `guardedAgent`
 * contains this interceptor. Accepts handlers of undici 6 and 7, which `fetch` of Node.js 22 and 24 uses. Throws
 * `TypeError` for an invalid limit.
 */
export function responseLimitsInterceptor(
  limits: Partial<ResponseLimits> = {},
): Dispatcher.DispatcherComposeInterceptor {
  checkResponseLimitOptions(limits);
  const merged: ResponseLimits = addDefaultOptions(DEFAULT_GUARDED_AGENT_LIMITS, limits);
  const context: LimitContext = {
    limits: merged,
    timer: new SharedDeadlineTimer(),
    interruptedBodies: new WeakMap(),
  };
  return (dispatch) => (options, handler) => {
    const converted = convertOldHandler(options, handler);
    return dispatch(converted.options, new LimitedHandler(converted.handler, handler, context));
  };
}

/**
 * Converts a handler of undici 6 or 7 to a handler of undici 8, and disables HTTP/2, which older handlers do not
 * support. Returns handlers of undici 8 unchanged.
 */
export function convertOldHandler(
  options: Dispatcher.DispatchOptions,
  handler: Handler,
): { readonly options: Dispatcher.DispatchOptions; readonly handler: Handler } {
  if (typeof handler.onRequestStart === "function") return { options, handler };
  return { options: { ...options, allowH2: false } as typeof options, handler: wrapHandler(handler) };
}

/** The part of a body that a handler received before the connection was lost. */
interface InterruptedBody {
  readonly bytes: number;
  readonly meter: DecodedSizeMeter | undefined;
}

/** The state that all requests of an interceptor share. */
interface LimitContext {
  readonly limits: ResponseLimits;
  readonly timer: SharedDeadlineTimer;
  /**
   * Maps each handler to the response body that a lost connection has interrupted. The retry interceptor resumes a body
   * with the same handler.
   */
  readonly interruptedBodies: WeakMap<Handler, InterruptedBody>;
}

/** Passes a response to the handler of the caller, and aborts the request when a limit is exceeded. */
class LimitedHandler implements Handler, RequestWithDeadline {
  readonly #handler: Handler;
  /** The handler as the caller passed it, before a conversion to undici 8. */
  readonly #originalHandler: Handler;
  readonly #interruptedBodies: LimitContext["interruptedBodies"];
  readonly #limits: ResponseLimits;
  #controller: DispatchControllerPausedDuringSizeCheck | undefined;
  readonly #timer: SharedDeadlineTimer;
  deadlineMs: number;
  timerIndex = 0;
  #hasBodyStarted = false;
  #failure: Error | undefined;
  /** True when the handler of the caller has received the end or an error. */
  #hasEnded = false;
  #interimResponses = 0;
  #status = 0;
  /** The size of the received body, with the interrupted part that this response continues. */
  #bodyBytes = 0;
  #meter: DecodedSizeMeter | undefined;
  /** The queue that measures the chunks of a compressed body. */
  #measuredBody: DecodedSizeCheckQueue | undefined;

  constructor(
    handler: Handler,
    originalHandler: Handler,
    { limits, timer, interruptedBodies }: LimitContext,
  ) {
    this.#handler = handler;
    this.#originalHandler = originalHandler;
    this.#interruptedBodies = interruptedBodies;
    this.#limits = limits;
    this.#timer = timer;
    this.deadlineMs = performance.now() + limits.callTimeoutMs;
    timer.add(this);
  }

  onRequestStart(controller: Controller, context: unknown): void {
    if (this.#failure) return controller.abort(this.#failure);
    this.#controller = new DispatchControllerPausedDuringSizeCheck(controller);
    this.#handler.onRequestStart?.(this.#controller, context);
  }

  onRequestUpgrade(controller: Controller, ...args: Tail<Handler["onRequestUpgrade"]>): void {
    this.#end();
    try {
      this.#handler.onRequestUpgrade?.(this.#controller ?? controller, ...args);
    } catch (error) {
      // undici destroys the socket after an error in `onRequestUpgrade`, and reports the error a second time, which
      // `onResponseError` ignores after `#end`.
      this.#passError(controller, error as Error);
      throw error;
    }
  }

  onResponseStart(controller: Controller, status: number, headers: Headers, statusMessage?: string): void {
    if (this.#failure) return;
    const pausable = (this.#controller ??= new DispatchControllerPausedDuringSizeCheck(controller));
    try {
      this.#checkHead(status, controller.rawHeaders);
      if (status >= 200) {
        this.#startBodyTime();
        this.#startBody(pausable, status, headers["content-encoding"]);
      }
    } catch (error) {
      return this.#fail(error as Error);
    }
    this.#handler.onResponseStart?.(pausable, status, headers, statusMessage);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    // Within a body whose next bytes have not arrived, undici's parser passes on an empty chunk after each resume. A
    // pause at an empty chunk would lead to another resume, without end.
    if (this.#failure || chunk.length === 0) return;
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#limits.maxBodyBytes)
      return this.#fail(createLimitError("maxBodyBytes", this.#limits, "the body is too large"));
    if (this.#measuredBody) this.#measuredBody.receive(chunk);
    else this.#handler.onResponseData?.(this.#controller ?? controller, chunk);
  }

  onResponseEnd(controller: Controller, trailers: Headers): void {
    if (this.#measuredBody) this.#measuredBody.afterMeasuring(() => this.#finish(controller, trailers));
    else this.#finish(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    // undici's retry interceptor resumes after the bytes that it has received, so the interceptor must receive the
    // error after the measured chunks.
    if (this.#measuredBody && !this.#failure)
      this.#measuredBody.afterMeasuring(() => this.#finishWithError(controller, error));
    else this.#finishWithError(controller, error);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onBodySent(chunk: Buffer): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  #startBodyTime(): void {
    this.#hasBodyStarted = true;
    this.deadlineMs = performance.now() + this.#limits.bodyTimeoutMs;
    this.#timer.schedule(this.deadlineMs);
  }

  exceedDeadline(): void {
    if (this.#hasEnded) return;
    const [name, part] = this.#hasBodyStarted
      ? (["bodyTimeoutMs", "the body"] as const)
      : (["callTimeoutMs", "the response"] as const);
    const error = createLimitError(name, this.#limits, `${part} took too long`);
    if (this.#controller) return this.#fail(error);
    // A request that waits for a connection has no dispatch controller of undici yet. For a request without a
    // controller, undici and its interceptors also call `onResponseError` without a controller.
    this.#failure = error;
    this.#finishWithError(null as never, error);
  }

  #checkHead(status: number, rawHeaders: Controller["rawHeaders"]): void {
    const limits = this.#limits;
    if (status < 200 && ++this.#interimResponses > limits.maxInterimResponses)
      throw createLimitError("maxInterimResponses", limits, "the server sent too many interim responses");
    const { bytes, lines } = measureHeaders(rawHeaders);
    if (bytes > limits.maxHeaderBytes)
      throw createLimitError("maxHeaderBytes", limits, "the header section is too large");
    if (lines > limits.maxHeaderLines)
      throw createLimitError("maxHeaderLines", limits, "the header section has too many lines");
  }

  /**
   * Starts to count the bytes of a response body. Delays the chunks of a compressed body until their decoded size has
   * been measured.
   */
  #startBody(
    controller: DispatchControllerPausedDuringSizeCheck,
    status: number,
    coding: Headers[string],
  ): void {
    this.#status = status;
    const interrupted = status === 206 ? this.#interruptedBodies.get(this.#originalHandler) : undefined;
    this.#bodyBytes = interrupted?.bytes ?? 0;
    let meter = interrupted?.meter;
    // A part of a compressed body may begin anywhere within the compressed data.
    if (!interrupted && coding !== undefined)
      meter = DecodedSizeMeter.create(String(coding), this.#limits, { isPartialContent: status === 206 });
    this.#meter = meter;
    if (!meter) return;
    this.#measuredBody = new DecodedSizeCheckQueue(meter, controller, {
      passChunk: (chunk) => {
        if (!this.#failure && !this.#hasEnded) this.#handler.onResponseData?.(controller, chunk);
      },
      fail: (error) => this.#fail(error),
    });
  }

  #finishWithError(controller: Controller, error: Error): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#passError(controller, this.#failure ?? toLimitError(error, this.#limits));
  }

  /**
   * Passes the end of the response on to the handler. The `onResponseEnd` of undici's retry interceptor throws when the
   * status of the response permits another attempt.
   */
  #finish(controller: Controller, trailers: Headers): void {
    if (this.#hasEnded || this.#failure) return;
    this.#end();
    try {
      this.#handler.onResponseEnd?.(this.#controller ?? controller, trailers);
      this.#meter?.close();
    } catch (error) {
      this.#passError(controller, error as Error);
    }
  }

  #passError(controller: Controller, error: Error): void {
    if (this.#isBodyInterrupted)
      this.#interruptedBodies.set(this.#originalHandler, { bytes: this.#bodyBytes, meter: this.#meter });
    else this.#meter?.close();
    this.#handler.onResponseError?.(this.#controller ?? controller, error);
  }

  /**
   * Aborts the request with an error. An abort within a callback of undici's parser can end the process
   * (nodejs/undici#5360), so the abort follows the callback. `fetch` of Node.js 22 and 24 hangs when an error follows
   * the response without a delay.
   */
  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    const controller = this.#controller as DispatchControllerPausedDuringSizeCheck;
    setImmediate(() => {
      controller.abort(error);
      // undici reports no error of a response that is complete.
      this.#finishWithError(controller, error);
    });
  }

  /** True when the retry interceptor may continue the body with another request. */
  get #isBodyInterrupted(): boolean {
    return !this.#failure && (this.#status === 200 || this.#status === 206);
  }

  #end(): void {
    this.#hasEnded = true;
    this.#timer.remove(this);
  }
}

/** The parameters of a function after the first one. */
type Tail<F> = F extends (first: never, ...rest: infer Rest) => unknown ? Rest : never;

/** Returns the size of a header section as HTTP/1.1 sends it, and the number of its lines. */
function measureHeaders(headers: Controller["rawHeaders"]): { bytes: number; lines: number } {
  if (!Array.isArray(headers)) return measureHeaderObject(headers ?? {});
  let bytes = headers.length * 2;
  for (const text of headers) bytes += text.length;
  return { bytes, lines: headers.length / 2 };
}

/** Returns the size of an HTTP/2 header section as HTTP/1.1 would send it, and the number of its lines. */
function measureHeaderObject(headers: Headers): { bytes: number; lines: number } {
  let [bytes, lines] = [0, 0];
  for (const [name, values] of Object.entries(headers))
    for (const value of [values].flat()) {
      bytes += name.length + String(value).length + 4;
      lines++;
    }
  return { bytes, lines };
}

/** The limits that undici itself enforces, by the code of its error. */
const LIMITS_BY_CODE: ReadonlyMap<
  string | undefined,
  readonly [name: "maxHeaderBytes" | "firstByteTimeoutMs" | "idleTimeoutMs", reason: string]
> = new Map([
  ["UND_ERR_HEADERS_OVERFLOW", ["maxHeaderBytes", "the header section is too large"]],
  ["UND_ERR_HEADERS_TIMEOUT", ["firstByteTimeoutMs", "the response took too long"]],
  ["UND_ERR_BODY_TIMEOUT", ["idleTimeoutMs", "the server has paused within the body"]],
]);

/**
 * Converts an error with which undici reports a limit to the error of that limit, and returns any other error
 * unchanged.
 */
function toLimitError(error: Error, limits: ResponseLimits): Error {
  const [name, reason] = LIMITS_BY_CODE.get((error as NodeJS.ErrnoException).code) ?? [];
  return name === undefined ? error : createLimitError(name, limits, reason ?? "");
}
