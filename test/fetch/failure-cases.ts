import {
  describeErrorForComparison,
  type FetchComparisonCase,
  awaitOrDescribeError,
} from "./fetch-comparison-case.ts";

const causeIs = (error: unknown): boolean => error instanceof Error && error.cause instanceof Error;

/** Returns the description of the error with which a promise rejects, and whether the error has a cause. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no failure",
    (error: unknown) => [describeErrorForComparison(error), causeIs(error)],
  );
}

/** The ways to abort a request: a name, and a function that creates the signal. */
const ABORTS: readonly (readonly [string, () => AbortSignal])[] = [
  ["abort()", () => AbortSignal.abort()],
  ["abort(reason)", () => AbortSignal.abort(new RangeError("enough"))],
  ["abort(text)", () => AbortSignal.abort("enough")],
  ["AbortSignal.timeout", () => AbortSignal.timeout(30)],
  ["AbortSignal.any", () => AbortSignal.any([AbortSignal.timeout(30)])],
];

/**
 * Returns the description of the error with which a promise rejects, and whether the error is the reason of the signal
 * itself.
 */
async function isReason(promise: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const error: unknown = await promise.then(
    () => "no failure",
    (reason: unknown) => reason,
  );
  return [describeErrorForComparison(error), error === signal.reason];
}

/** The comparison cases about failed and aborted calls of `fetch`. */
export const FETCH_FAILURE_CASES: readonly FetchComparisonCase[] = [
  {
    title: "the server closes the connection without a response",
    observe: (fetch, { origin }) => failureOf(fetch(`${origin}/reset`)),
  },
  { title: "the host does not exist", observe: (fetch) => failureOf(fetch("http://nothing.invalid/")) },
  ...["/cut-length", "/cut-chunks"].flatMap((path): FetchComparisonCase[] => [
    {
      title: `text() of a body that ends early: ${path}`,
      observe: async (fetch, { origin }) => failureOf((await fetch(`${origin}${path}`)).text()),
    },
    {
      title: `a read of a body that ends early: ${path}`,
      async observe(fetch, { origin }) {
        const reader = (await fetch(`${origin}${path}`)).body?.getReader();
        const first = Buffer.from((await reader?.read())?.value ?? []).toString();
        return [first, await failureOf(reader?.read() ?? Promise.resolve())];
      },
    },
  ]),
  {
    title: "a read of invalid compressed data",
    observe: async (fetch, { origin }) =>
      failureOf(fetch(`${origin}/coding?name=broken`).then((response) => response.text())),
  },
  ...ABORTS.flatMap(([name, create]): FetchComparisonCase[] => [
    {
      title: `${name} before or while the server is silent`,
      async observe(fetch, { origin }) {
        const signal = create();
        return isReason(fetch(`${origin}/hang`, { signal }), signal);
      },
    },
    {
      title: `${name} in the signal of a Request`,
      async observe(fetch, { origin }) {
        const signal = create();
        return describeErrorForComparison(
          await fetch(new Request(`${origin}/hang`, { signal })).catch((error: unknown) => error),
        );
      },
    },
  ]),
  ...[undefined, new RangeError("enough"), null, "text"].map((reason): FetchComparisonCase => ({
    title: `an abort with ${reason instanceof Error ? reason.name : (JSON.stringify(reason) ?? "no reason")} while the body is read`,
    async observe(fetch, { origin }) {
      const controller = new AbortController();
      const response = await fetch(`${origin}/hang-in-body`, { signal: controller.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      const next = reader?.read() ?? Promise.resolve();
      controller.abort(reason);
      return isReason(next, controller.signal);
    },
  })),
  {
    title: "an abort before the body is read",
    async observe(fetch, { origin }) {
      const controller = new AbortController();
      const response = await fetch(`${origin}/hang-in-body`, { signal: controller.signal });
      controller.abort();
      return isReason(response.text(), controller.signal);
    },
  },
  {
    title: "a timeout while the body is read",
    async observe(fetch, { origin }) {
      const signal = AbortSignal.timeout(50);
      return isReason(
        fetch(`${origin}/hang-in-body`, { signal }).then((response) => response.text()),
        signal,
      );
    },
  },
  {
    title: "an abort after the body has been read has no effect",
    async observe(fetch, { origin }) {
      const controller = new AbortController();
      const response = await fetch(`${origin}/text`, { signal: controller.signal });
      const text = await response.text();
      controller.abort();
      return text;
    },
  },
  {
    title: "an abort also fails a clone of the response",
    async observe(fetch, { origin }) {
      const controller = new AbortController();
      const response = await fetch(`${origin}/hang-in-body`, { signal: controller.signal });
      const clone = response.clone();
      const texts = [isReason(response.text(), controller.signal), isReason(clone.text(), controller.signal)];
      controller.abort();
      return Promise.all(texts);
    },
  },
  {
    title: "an abort while the stream of the request waits for its source",
    async observe(fetch, { origin }) {
      const controller = new AbortController();
      const body = new ReadableStream<Uint8Array>({ pull: () => controller.abort() }, { highWaterMark: 0 });
      const init = { method: "POST", body, duplex: "half", signal: controller.signal } as RequestInit;
      return isReason(fetch(`${origin}/echo`, init), controller.signal);
    },
  },
  {
    title: "an aborted signal cancels the stream of the request",
    async observe(fetch, { origin }) {
      let isCancelled = false;
      const body = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) });
      const init = { method: "POST", body, duplex: "half", signal: AbortSignal.abort() } as RequestInit;
      const outcome = await awaitOrDescribeError(fetch(`${origin}/echo`, init));
      return [outcome, isCancelled];
    },
  },
  {
    title: "a null signal of init replaces the signal of a Request",
    async observe(fetch, { origin }) {
      const request = new Request(`${origin}/text`, { signal: AbortSignal.abort() });
      return awaitOrDescribeError(fetch(request, { signal: null }).then((response) => response.text()));
    },
  },
  {
    title: "a value that is no signal is refused",
    observe: (fetch, { origin }) =>
      awaitOrDescribeError(fetch(`${origin}/text`, { signal: {} as AbortSignal })),
  },
  {
    title: "a stream that fails rejects fetch",
    observe: (fetch, { origin }) => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.error(new RangeError("disk on fire")),
      });
      return awaitOrDescribeError(fetch(`${origin}/echo`, { method: "POST", body, duplex: "half" }));
    },
  },
];
