import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { anyAddress } from "../../../src/policy/policy.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { startScriptedServer } from "../../../src/testing/index.ts";
import { DEFAULT_CORE_LIMITS } from "../../../src/index.ts";
import { connectAndSendRequest, readLines } from "../../../src/io/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { startSilentServer } from "../../silent-server.ts";
import { createRedirectingScheme, createPathLineScheme, createSocketlessScheme } from "../test-schemes.ts";

const lineScheme = createPathLineScheme("x-line");

/** Returns a promise that rejects with the reason of the signal when the signal aborts. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

describe("the abort of a request by its signal", () => {
  const phases = [
    "before the call",
    "in the resolver",
    "in the access method",
    "while the request waits for a response",
  ] as const;
  it.each(phases)(
    "the client rejects a request with the reason of its signal when the signal aborts %s",
    async (phase) => {
      await using server = await startSilentServer();
      const controller = new AbortController();
      const abort = (): void => controller.abort(new Error("enough"));
      if (phase === "before the call") abort();
      const other = createClient({
        schemes: [
          lineScheme,
          createSocketlessScheme(async (context) => {
            queueMicrotask(abort);
            return untilAborted(context.signal);
          }),
        ],
        policy: anyAddress(),
        resolver: (_name, { signal }) => {
          if (phase !== "in the resolver") return Promise.resolve(["127.0.0.1"]);
          queueMicrotask(abort);
          return untilAborted(signal);
        },
        trace: ({ action }) => {
          if (phase === "while the request waits for a response" && action === "send") queueMicrotask(abort);
        },
      });
      const text = phase === "in the access method" ? "x-made:a" : `x-line://name.example:${server.port}/`;
      const work = other
        .dereference(text, { signal: controller.signal })
        .then((resource) => (resource.kind === "content" ? resource.bytes() : undefined));
      const error = await catchAccessError(work);
      expect(error).toMatchObject({ code: "aborted", reason: "the caller aborted the request", url: text });
      expect((error.cause as Error).message).toBe("enough");
      await Promise.all(server.connections.map(({ closed }) => closed));
    },
  );

  it("the client rejects an aborted request although the access method ignores the signal", async () => {
    const controller = new AbortController();
    const deaf = createSocketlessScheme(() => {
      queueMicrotask(() => controller.abort());
      return new Promise<never>(() => undefined);
    });
    const work = createClient({ schemes: [deaf] }).dereference("x-made:a", { signal: controller.signal });
    expect((await catchAccessError(work)).code).toBe("aborted");
  });

  it("the client rejects a request whose access method aborts the signal and then ignores it", async () => {
    const controller = new AbortController();
    const deaf = createSocketlessScheme(() => {
      controller.abort();
      return new Promise<never>(() => undefined);
    });
    const work = createClient({ schemes: [deaf] }).dereference("x-made:a", { signal: controller.signal });
    expect((await catchAccessError(work)).code).toBe("aborted");
  });

  it("an abort destroys the sockets of an access method that continues after the abort", async () => {
    await using server = await startSilentServer();
    const controller = new AbortController();
    const scheme: Scheme = {
      ...lineScheme,
      async access(plan, context) {
        const source = await connectAndSendRequest(plan, context);
        queueMicrotask(() => controller.abort());
        for await (const one of readLines(source, DEFAULT_CORE_LIMITS, "maxListingLineBytes"))
          expect(one).toBeUndefined();
        throw new Error("not reached");
      },
    };
    const other = createClient({ schemes: [scheme], policy: anyAddress() });
    const work = other.dereference(`x-line://127.0.0.1:${server.port}/`, { signal: controller.signal });
    expect((await catchAccessError(work)).code).toBe("aborted");
    await server.connections[0]?.closed;
  });

  it("client.destroy() aborts running and later requests", async () => {
    await using server = await startSilentServer();
    const other = createClient({
      schemes: [lineScheme, createRedirectingScheme("x-hop")],
      policy: anyAddress(),
    });
    const resource = await other.dereference(`x-line://127.0.0.1:${server.port}/` as const);
    const reading = catchAccessError(resource.bytes());
    const cause = new Error("shutting down");
    const waiting = catchAccessError(other.dereference(`x-hop://127.0.0.1:${server.port}/`));
    await other.destroy(cause);
    expect(await reading).toMatchObject({ code: "aborted", reason: "the client was destroyed", cause });
    expect(await waiting).toMatchObject({ code: "aborted", reason: "the client was destroyed" });
    expect((await catchAccessError(other.dereference(`x-line://127.0.0.1:${server.port}/`))).code).toBe(
      "aborted",
    );
    await Promise.all(server.connections.map(({ closed }) => closed));
  });

  it("many concurrent requests with one signal cause no warning about leaked listeners", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const controller = new AbortController();
    const deaf = createClient({
      schemes: [createSocketlessScheme((context) => untilAborted(context.signal))],
    });
    const calls = Array.from({ length: 40 }, () =>
      catchAccessError(deaf.dereference("x-made:a", { signal: controller.signal })),
    );
    await new Promise(setImmediate);
    controller.abort();
    for (const error of await Promise.all(calls)) expect(error.code).toBe("aborted");
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
});

describe("a timeout signal of the caller aborts a request", () => {
  const deaf = createSocketlessScheme(() => new Promise(() => undefined));

  it.each([
    ["AbortSignal.timeout()", (signal: AbortSignal) => signal],
    [
      "AbortSignal.any() of a timeout",
      (signal: AbortSignal) => AbortSignal.any([new AbortController().signal, signal]),
    ],
  ])("%s rejects a request with the code timeout and the reason of the signal", async (_, combine) => {
    const signal = combine(AbortSignal.timeout(2));
    const error = await catchAccessError(
      createClient({ schemes: [deaf] }).dereference("x-made:a", { signal }),
    );
    expect(error).toMatchObject({
      code: "timeout",
      limit: undefined,
      reason: "the timeout of the caller's signal has elapsed",
    });
    expect(error.cause).toBe(signal.reason);
  });

  it("the reason of the signal is the cause of the error, also after a secret was sent", async () => {
    const signal = AbortSignal.timeout(2);
    const scheme = createSocketlessScheme((context) => {
      context.reportSecretSent();
      return new Promise(() => undefined);
    });
    const error = await catchAccessError(
      createClient({ schemes: [scheme] }).dereference("x-made:a", { signal }),
    );
    expect(error.code).toBe("timeout");
    expect(error.cause).toBe(signal.reason);
  });
});

describe("the limit callTimeoutMs", () => {
  it("callTimeoutMs aborts a request whose access method never settles", async () => {
    const deaf = createClient({
      schemes: [createSocketlessScheme(() => new Promise(() => undefined))],
      limits: { callTimeoutMs: 2 },
    });
    expect(await catchAccessError(deaf.dereference("x-made:a"))).toMatchObject({
      code: "timeout",
      limit: "callTimeoutMs",
    });
  });

  it("callTimeoutMs limits the total time of a request with redirects", async () => {
    await using server = await startScriptedServer(async (peer) => {
      if ((await peer.readLine()) === "one") peer.send(`GO x-hop://127.0.0.1:${server.port}/two\r\n`);
      else await peer.readLine();
    });
    const policy = anyAddress({ allowSchemeRedirects: { "x-hop": ["x-hop"] } });
    const other = createClient({
      schemes: [createRedirectingScheme("x-hop")],
      policy,
      limits: { callTimeoutMs: 300 },
    });
    const error = await catchAccessError(other.dereference(`x-hop://127.0.0.1:${server.port}/one`));
    expect(error).toMatchObject({ code: "timeout", limit: "callTimeoutMs" });
    expect(server.connections).toHaveLength(2);
    await Promise.all(server.connections.map(({ closed }) => closed));
  });
});
