import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import type { ClientOptions, DereferenceOptions } from "../../../src/client/options.ts";
import { AccessError } from "../../../src/errors/access-error.ts";
import { EMPTY_BYTE_SOURCE } from "../../../src/io/index.ts";
import { anyAddress } from "../../../src/policy/policy.ts";
import type { Resource } from "../../../src/scheme/resource.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { startScriptedServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createPathLineScheme } from "../test-schemes.ts";

const callbackError = new TypeError("undefined is not a function");
const throwCallbackError = (): never => {
  throw callbackError;
};

interface CallbackFaultCase {
  readonly name: string;
  readonly client?: Partial<ClientOptions>;
  readonly scheme?: Partial<Scheme>;
  readonly call?: DereferenceOptions;
  /** The beginning of the expected error message. Default: the message of a scheme's error. */
  readonly message?: string;
  /** The host of the URL. Default: `127.0.0.1`, which needs no resolver. */
  readonly host?: string;
}

/** Requests a password, as a scheme does for a server that requires one. */
const credentialRequestingScheme: Partial<Scheme> = {
  async access(_plan, context): Promise<Resource> {
    await context.requestCredentials({ scheme: "x-line", host: "h", port: 1, requestedSecret: "password" });
    throw new Error("the callback was not called");
  },
};

const CALLBACK_FAULT_CASES: readonly CallbackFaultCase[] = [
  {
    name: "resolver that throws",
    client: { resolver: throwCallbackError },
    host: "h.example",
    message: "the callback resolver",
  },
  {
    name: "resolver that rejects",
    client: { resolver: () => Promise.reject(callbackError) },
    host: "h.example",
    message: "the callback resolver",
  },
  ...(
    [
      [undefined, "undefined"],
      ["127.0.0.1", "a string"],
      [{ address: "127.0.0.1", family: 4 }, "an object"],
      [[{ address: "127.0.0.1", family: 4 }], "an array with an object"],
      [["127.0.0.1", undefined], "an array with undefined"],
      [[["127.0.0.1"]], "an array with an array"],
      [new Set(["127.0.0.1"]), "an object"],
    ] as const
  ).map(([answer, returned]): CallbackFaultCase => ({
    name: `resolver that returns ${JSON.stringify(answer)}`,
    client: { resolver: (() => Promise.resolve(answer)) as never },
    host: "h.example",
    message: `the callback resolver returned ${returned}, and not addresses: dereference x-line:`,
  })),
  {
    name: "callback confirmPort that throws",
    message: "the callback confirmPort",
    client: { policy: anyAddress({ confirmPort: throwCallbackError }) },
    scheme: { portRange: "default" },
  },
  {
    name: "callback onProgress that throws",
    call: { onProgress: throwCallbackError },
    message: "the callback onProgress",
  },
  { name: "callback trace that throws", call: { trace: throwCallbackError }, message: "the callback trace" },
  {
    name: "callback trace of the client that throws",
    client: { trace: throwCallbackError },
    message: "the callback trace",
  },
  {
    name: "callback proxy that throws",
    client: { proxy: throwCallbackError },
    message: "the callback proxy",
  },
  {
    name: "callback credentials that throws",
    scheme: credentialRequestingScheme,
    call: { credentials: throwCallbackError },
    message: "the callback credentials",
  },
  {
    name: "callback credentials that rejects",
    scheme: credentialRequestingScheme,
    client: { credentials: () => Promise.reject(callbackError) },
    message: "the callback credentials",
  },
  { name: "scheme whose plan throws", scheme: { plan: throwCallbackError } },
  { name: "scheme whose access method throws", scheme: { access: throwCallbackError } },
  ...(
    [
      ["me:needle", "a string"],
      [true, "true"],
      [{ username: "me", password: undefined }, "an object without a password"],
      [{ password: "p", crossOrigin: "yes" }, "an object whose crossOrigin is a string"],
      [{ user: 1, password: "needle" }, "an object whose user is 1"],
    ] as const
  ).map(([answer, returned]): CallbackFaultCase => ({
    name: `callback credentials that returns ${returned}`,
    scheme: credentialRequestingScheme,
    call: { credentials: () => answer as never },
    message: `the callback credentials returned ${returned}, and not { user, password }: dereference x-line:`,
  })),
  {
    name: "scheme whose access method rejects",
    scheme: { access: () => Promise.reject(callbackError) },
  },
];

describe("an error in a callback or scheme of the caller becomes an AccessError", () => {
  it.each(CALLBACK_FAULT_CASES)(
    "a request fails with the code plugin because of the caller's $name",
    async ({
      client: options,
      scheme,
      call,
      host = "127.0.0.1",
      message = "a scheme or a callback threw an error: ",
    }) => {
      await using server = await startScriptedServer(async (peer) => {
        await peer.readLine();
        peer.send("answer");
      });
      const line: Scheme = { ...createPathLineScheme("x-line"), ...scheme };
      await using client = createClient<Scheme>({ policy: anyAddress(), ...options, schemes: [line] });
      const work = (async () => {
        const resource = await client.dereference(`x-line://${host}:${server.port}/a`, call);
        if (resource.kind === "content") await resource.bytes();
      })();
      const error = await catchAccessError(work);
      expect(error).toMatchObject({ code: "plugin", url: `x-line://${host}:${server.port}/a` });
      expect(error.message.slice(0, message.length)).toBe(message);
      expect(error.message).not.toMatch(/server|needle/);
    },
  );

  it("the error that a callback threw is the cause of the AccessError", async () => {
    const client = createClient<Scheme>({
      schemes: [{ ...createPathLineScheme("x-line"), access: throwCallbackError }],
    });
    expect((await catchAccessError(client.dereference("x-line://h/"))).cause).toBe(callbackError);
  });

  it("the error that a callback threw is the cause also after a secret was sent", async () => {
    const access: Scheme["access"] = (_plan, context) => {
      context.reportSecretSent();
      return Promise.resolve(context.createContent({ source: EMPTY_BYTE_SOURCE }));
    };
    const client = createClient<Scheme>({ schemes: [{ ...createPathLineScheme("x-line"), access }] });
    const work = client.dereference("x-line://h/", { onResponse: throwCallbackError });
    expect((await catchAccessError(work)).cause).toBe(callbackError);
  });

  it.each([
    [
      "the error of another request",
      new AccessError("not-found", "x", {}, { operationName: "read", url: "x:y" }),
      "plugin",
    ],
    [
      "an error with the code of a system error",
      Object.assign(new Error("x"), { code: "EWHATEVER" }),
      "plugin",
    ],
    ["an AccessError without a URL", new AccessError("permission-denied", "x"), "permission-denied"],
    ["an AbortError", AbortSignal.abort().reason as Error, "aborted"],
  ])("%s that a callback throws becomes an AccessError with the right code", async (_, thrown, code) => {
    const client = createClient<Scheme>({
      schemes: [{ ...createPathLineScheme("x-line"), ...credentialRequestingScheme }],
    });
    const credentials = (): never => {
      throw thrown;
    };
    const error = await catchAccessError(client.dereference("x-line://h:1/", { credentials }));
    expect(error).toMatchObject({ code, url: "x-line://h:1/" });
  });

  it.each([
    ["a DNS error", Object.assign(new Error("no such name"), { code: "ENOTFOUND" })],
    [
      "an AccessError with the code not-found",
      new AccessError("not-found", "the directory has no such host"),
    ],
  ])("%s that a custom resolver throws is reported as a failed look-up", async (_, failed) => {
    const client = createClient({
      schemes: [createPathLineScheme("x-line")],
      policy: anyAddress(),
      resolver: () => Promise.reject(failed),
    });
    expect((await catchAccessError(client.dereference("x-line://h.example:7070/"))).code).toBe("unavailable");
  });
});
