import { inspect } from "node:util";
import { anyAddress, createClient, type TraceEvent } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  createCachingClient,
  createResponseText,
  startRecordingOriginServer,
} from "../cache/caching-client-and-origin.ts";
import {
  createServerUrl,
  createSingleResponseScript,
  getRejectedError,
  getWithSharedTestClient,
} from "../test-client.ts";

const VALUE = "n33dle";

/** Names of headers with a secret. No list of names of secret headers can be complete. */
const SECRET_NAMES = [
  "authorization",
  "cookie",
  "x-api-key",
  "ocp-apim-subscription-key",
  "x-functions-key",
  "x-jwt-assertion",
  "x-otp",
  "x-ms-client-principal",
  "private-key",
  "bearer",
  "x-request-id",
];

/** The names of headers that contain no secret. */
const HARMLESS_NAMES = [
  "accept",
  "accept-language",
  "cache-control",
  "content-language",
  "pragma",
  "user-agent",
];

function createTracingClient() {
  const events: TraceEvent[] = [];
  const client = createClient({
    schemes: [http()],
    policy: anyAddress(),
    trace: (event) => void events.push(event),
  });
  return { client, events };
}

type TracingClient = ReturnType<typeof createTracingClient>["client"];
type HttpAddress = `http://${string}`;

/** The ways to set a header. */
const SOURCES: Readonly<
  Record<
    string,
    (client: TracingClient, url: HttpAddress, headers: Record<string, string>) => Promise<unknown>
  >
> = {
  "the option headers": (client, url, headers) => client.text(url, { headers }),
  "client.extend": (client, url, headers) => client.extend({ headers }).text(url),
  onRequest: (client, url, headers) => client.text(url, { onRequest: () => ({ headers }) }),
  "client.fetch": (client, url, headers) =>
    client.fetch(url, { headers, throwHttpErrors: true } as Parameters<typeof client.fetch>[1]),
  "client.put": (client, url, headers) => client.put(url, "a", { headers }),
  "client.stat": (client, url, headers) => client.stat(url, { headers }),
};

/** Returns the traces, errors and plans of requests to a server that repeats the header in its responses. */
async function collectTexts(name: string, run: (typeof SOURCES)[string]): Promise<string> {
  await using server = await startRecordingOriginServer((head) => {
    const line = head.find((each) => each.startsWith(`${name}: `)) ?? "";
    const value = line.slice(name.length + 2);
    return head[0]?.includes("/redirect")
      ? createResponseText("", [`location: http://127.0.0.1:1/${value}`], `302 ${value}`)
      : createResponseText("", [`x-echo: ${value}`], `403 no ${value}`);
  });
  const texts: unknown[] = [];
  for (const path of ["/echo", "/redirect"]) {
    const { client, events } = createTracingClient();
    const error: unknown = await run(client, server.url(path), { [name]: VALUE }).then(
      () => undefined,
      (each: unknown) => each,
    );
    texts.push(events, error, error instanceof Error ? [error.message, error.stack, error.cause] : "");
    texts.push(JSON.stringify(client.plan(server.url(path), { headers: { [name]: VALUE } })));
    await client.destroy();
  }
  expect(server.requests.every((head) => head.includes(`${name}: ${VALUE}`))).toBe(true);
  return inspect(texts, { depth: Infinity, maxArrayLength: null, maxStringLength: null });
}

describe("the value of a header", () => {
  it.each(SECRET_NAMES.flatMap((name) => Object.keys(SOURCES).map((source) => [name, source] as const)))(
    "the value of the header %s, set with %s, is in no trace, plan, error or shown redirect URL",
    async (name, source) => {
      expect(await collectTexts(name, SOURCES[source] as (typeof SOURCES)[string])).not.toContain(VALUE);
    },
  );

  it.each(HARMLESS_NAMES)("the value of the header %s is shown in the trace", async (name) => {
    const texts = await collectTexts(name, SOURCES["the option headers"] as (typeof SOURCES)[string]);
    expect(texts).toContain(`${name}: ${VALUE}`);
    expect(texts).toContain(`403 no ${VALUE}`);
  });

  it("errors and traces do not depend on the value of a secret header", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("", [], "403 no guess"));
    const messages = new Set<string>();
    for (const value of ["guess", "other"]) {
      const { client, events } = createTracingClient();
      await using _ = client;
      const error: unknown = await client
        .text(server.url(), { headers: { "x-otp": value } })
        .catch((each: unknown) => each);
      messages.add(`${String(error)} ${events.map(({ text }) => text.replace(/:\d+/g, "")).join()}`);
    }
    expect([...messages]).toHaveLength(1);
  });
});

const respondWithIndex = (_request: readonly string[], index: number): string =>
  createResponseText(`body ${index}`, ["cache-control: max-age=60"]);

describe("secret header fields in the cache and the connection pool", () => {
  it.each(SECRET_NAMES)(
    "users of a shared cache with different values of %s get their own bodies",
    async (name) => {
      await using server = await startRecordingOriginServer((head) =>
        createResponseText(head.find((line) => line.startsWith(`${name}: `)) ?? "nobody", [
          "cache-control: public, max-age=60",
        ]),
      );
      const { read } = createCachingClient({ cache: memoryCache({ shared: true }) });
      for (const value of ["ada", "bob"])
        expect(await read(server.url(), { headers: { [name]: value } })).toBe(`${name}: ${value}`);
      expect(await read(server.url())).toBe("nobody");
    },
  );

  it.each([
    ["private", "x-request-id", 1],
    ["private", "x-api-key", 3],
    ["private", "accept-language", 1],
    ["shared", "x-request-id", 3],
    ["shared", "accept-language", 1],
  ])(
    "three requests through a %s cache with different values of %s: %i reach the server",
    async (kind, name, count) => {
      await using server = await startRecordingOriginServer(respondWithIndex);
      const { read } = createCachingClient({ cache: memoryCache({ shared: kind === "shared" }) });
      for (const value of ["1", "2", "3"]) await read(server.url(), { headers: { [name]: value } });
      expect(server.requests).toHaveLength(count);
    },
  );

  it.each([
    ["x-request-id", 1],
    ["traceparent", 1],
    ["authorization", 3],
    ["cookie", 3],
  ])("three requests with different values of %s use %i connections", async (name, count) => {
    await using server = await startRecordingOriginServer(respondWithIndex);
    const { client } = createTracingClient();
    await using _ = client;
    for (const value of ["1", "2", "3"]) await client.text(server.url(), { headers: { [name]: value } });
    expect([server.requests.length, server.connectionCount]).toEqual([3, count]);
  });
});

it("an Authorization header of the caller is sent, and masked where the server echoes it", async () => {
  await using server = await startScriptedServer(
    createSingleResponseScript("HTTP/1.1 403 No n33dle and no Bearer n33dle\r\n\r\n"),
  );
  const texts: string[] = [];
  const error = await getRejectedError(
    getWithSharedTestClient(createServerUrl(server), {
      headers: { authorization: "Bearer n33dle" },
      trace: ({ text }) => texts.push(text),
    }),
  );
  expect(error.message).toContain("403 No **** and no ****");
  expect(texts.join()).not.toContain("n33dle");
  expect(server.connections[0]?.received.toString()).toContain("\r\nauthorization: Bearer n33dle\r\n");
});
