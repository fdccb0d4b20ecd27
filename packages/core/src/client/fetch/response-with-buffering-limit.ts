type ResponseBody = ConstructorParameters<typeof Response>[0];
type ResponseInit = NonNullable<ConstructorParameters<typeof Response>[1]>;

/** The methods that collect the whole body of a response. */
const COLLECTING_METHODS = ["text", "json", "arrayBuffer", "bytes", "blob", "formData"];

/** A response that calls a function before the whole body is collected, so that a limit applies to the body. */
export class ResponseWithBufferingLimit extends Response {
  readonly #beforeCollecting: () => void;

  static {
    const define = (name: string, value: (this: ResponseWithBufferingLimit) => unknown): unknown =>
      Object.defineProperty(this.prototype, name, { value, configurable: true, writable: true });
    const platformMethods = Response.prototype as unknown as Readonly<
      Record<string, (this: Response) => Promise<unknown>>
    >;
    // The types of Node.js declare the methods as properties, which a class cannot override by methods.
    for (const name of COLLECTING_METHODS) {
      const collect = platformMethods[name];
      if (!collect) continue;
      define(name, async function () {
        this.#beforeCollecting();
        return collect.call(this);
      });
    }
    const { clone } = Response.prototype;
    define("clone", function () {
      const { body, status, statusText, headers } = clone.call(this);
      return new ResponseWithBufferingLimit(body, { status, statusText, headers }, this.#beforeCollecting);
    });
  }

  /** `beforeCollecting` may throw the error with which `text()`, `json()` and similar methods reject. */
  constructor(body: ResponseBody, init: ResponseInit, beforeCollecting: () => void) {
    super(body, init);
    this.#beforeCollecting = beforeCollecting;
  }

  /** Returns a response with another head, and with the body and the limit of this response. */
  withHead(init: ResponseInit): ResponseWithBufferingLimit {
    return new ResponseWithBufferingLimit(this.body, init, this.#beforeCollecting);
  }
}
