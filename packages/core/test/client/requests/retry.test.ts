import { describe, expect, it } from "vitest";
import type { Client } from "../../../src/client/client-interface.ts";
import { createClient } from "../../../src/client/client.ts";
import type { FetchBody } from "../../../src/client/fetch/fetch-init.ts";
import { computeRetryWait, findTemporaryFailure } from "../../../src/client/requests/retry.ts";
import { isRepeatableBody } from "../../../src/client/requests/retry-options.ts";
import { AccessError, type AccessErrorCode, type AccessErrorInit } from "../../../src/errors/access-error.ts";
import { createPlan } from "../../../src/scheme/plan.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { createGenericSyntax } from "../../../src/syntax/index.ts";

describe("computeRetryWait", () => {
  const settings = { backoffMs: 1_000, maxBackoffMs: 5_000 };
  it.each([
    ["the first wait is at least half of backoffMs", 0, undefined, 0, 500],
    ["the first wait is at most backoffMs", 0, undefined, 1, 1_000],
    ["each further wait is twice as long", 1, undefined, 1, 2_000],
    ["a wait is at most maxBackoffMs", 3, undefined, 1, 5_000],
    ["a wait after many retries is at most maxBackoffMs", 999, undefined, 1, 5_000],
    ["Retry-After makes the wait longer", 0, 3_000, 1, 3_000],
    ["Retry-After does not make the wait shorter", 1, 0, 1, 2_000],
    ["Retry-After at maxBackoffMs is obeyed", 0, 5_000, 0, 5_000],
    ["Retry-After above maxBackoffMs ends the retries", 0, 5_001, 0, undefined],
  ])("%s", (_, retries, retryAfterMs, random, expected) => {
    expect(computeRetryWait(settings, retries, retryAfterMs, () => random)).toBe(expected);
  });
});

describe("findTemporaryFailure", () => {
  const statusCodes = [503];
  const system = (code: string): Error => Object.assign(new Error("x"), { code });
  const ROWS: readonly (readonly [code: AccessErrorCode, init: AccessErrorInit, isTemporary: boolean])[] = [
    ["unavailable", { status: 503 }, true],
    ["unavailable", { status: 500 }, false],
    ["unavailable", { isTemporary: true }, true],
    ["unavailable", {}, false],
    ["unavailable", { cause: system("ECONNREFUSED") }, true],
    ["unavailable", { cause: new Error("x", { cause: system("ECONNRESET") }) }, true],
    ["unavailable", { cause: system("EAI_AGAIN") }, true],
    ["unavailable", { cause: system("ENOTFOUND") }, false],
    ["unavailable", { cause: system("CERT_HAS_EXPIRED"), certificate: "expired" }, false],
    ["proxy", { cause: system("ECONNREFUSED") }, true],
    ["proxy", {}, false],
    ["incomplete", {}, true],
    ["timeout", { limit: "connectTimeoutMs" }, true],
    ["timeout", { limit: "idleTimeoutMs" }, true],
    ["timeout", { limit: "callTimeoutMs" }, false],
    ["timeout", {}, false],
    ["aborted", { cause: system("ECONNRESET") }, false],
    ["not-found", {}, false],
    ["plugin", { cause: system("ECONNRESET") }, false],
    ["refused-address", {}, false],
  ];
  it.each(ROWS)("an error with the code %s and %j is temporary: %s", (code, init, isTemporary) => {
    const failure = findTemporaryFailure(new AccessError(code, "why", init), { statusCodes });
    expect(failure).toEqual(isTemporary ? { reason: "why", retryAfterMs: undefined } : undefined);
  });

  it.each([[undefined], [{}], [new TypeError("x")]])("%s is not a temporary failure", (outcome) => {
    expect(findTemporaryFailure(outcome, { statusCodes })).toBeUndefined();
  });
});

describe("isRepeatableBody", () => {
  it.each([
    ["no body", undefined, true],
    ["null", null, true],
    ["a string", "x", true],
    ["bytes", new Uint8Array(1), true],
    ["a buffer", new ArrayBuffer(1), true],
    ["a Blob", new Blob(["x"]), true],
    ["FormData", new FormData(), true],
    ["URLSearchParams", new URLSearchParams("a=b"), true],
    ["a stream", new Blob(["x"]).stream(), false],
    ["an iterator", [new Uint8Array(1)].values(), false],
  ])("isRepeatableBody tells whether a request body can be sent again: %s", (_, body, isRepeatable) => {
    expect(isRepeatableBody(body)).toBe(isRepeatable);
  });
});

/**
 * Creates a scheme whose `put` records the size and bytes of each body. The first call fails after it read the body.
 */
function createSchemeFailingOnce(): Scheme & { readonly bodies: (readonly [size: unknown, text: string])[] } {
  const bodies: (readonly [size: unknown, text: string])[] = [];
  return {
    name: "x-store",
    syntax: createGenericSyntax({ schemes: ["x-store"] }),
    plan: (url) => createPlan(url, []),
    access: () => Promise.reject(new Error("this scheme reads nothing")),
    operations: {
      put: {
        plan: (url) => createPlan(url, []),
        async perform(_, __, { upload }) {
          const chunks: Uint8Array[] = [];
          for await (const chunk of upload.chunks) chunks.push(chunk);
          bodies.push([upload.size, Buffer.concat(chunks).toString()]);
          if (bodies.length === 1) throw new AccessError("unavailable", "busy", { isTemporary: true });
          return { bytesWritten: 0 };
        },
      },
    },
    bodies,
  };
}

const createStream = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();

async function* generateChunk(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

describe("the body of a put that failed temporarily", () => {
  const retry = { maxRetries: 1, backoffMs: 0 };
  const fetchPut = (client: Client, body: FetchBody): Promise<Response> =>
    client.fetch("x-store:a", { method: "PUT", body, duplex: "half", retry });

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ["put of a text", (client) => client.put("x-store:a", "hello", { retry })],
    ["put of bytes", (client) => client.put("x-store:a", Buffer.from("hello"), { retry })],
    ["put of a Blob", (client) => client.put("x-store:a", new Blob(["hello"]), { retry })],
    ["fetch of a text", (client) => fetchPut(client, "hello")],
    ["fetch of bytes", (client) => fetchPut(client, Buffer.from("hello"))],
    ["fetch of a Blob", (client) => fetchPut(client, new Blob(["hello"]))],
    [
      "fetch of a Request with a text",
      (client) => client.fetch(new Request("x-store:a", { method: "PUT", body: "hello" }), { retry }),
    ],
  ])("each attempt sends the whole body: %s", async (_, put) => {
    const scheme = createSchemeFailingOnce();
    await put(createClient({ schemes: [scheme] }) as Client);
    expect(scheme.bodies).toEqual([
      [5, "hello"],
      [5, "hello"],
    ]);
  });

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ["put of a stream", (client) => client.put("x-store:a", createStream("hello"), { retry })],
    ["put of an iterable", (client) => client.put("x-store:a", generateChunk("hello"), { retry })],
    ["fetch of a stream", (client) => fetchPut(client, createStream("hello"))],
    ["fetch of an iterable", (client) => fetchPut(client, generateChunk("hello"))],
  ])("a body that can be read once has one attempt: %s", async (_, put) => {
    const scheme = createSchemeFailingOnce();
    await expect(put(createClient({ schemes: [scheme] }) as Client)).rejects.toThrow();
    expect(scheme.bodies).toEqual([[undefined, "hello"]]);
  });
});
