import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AccessError, anyAddress, type Client, createClient, type CoreLimits } from "@anyscheme/core";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const MEBIBYTE = Buffer.alloc(1_048_576, "x");

interface Setup extends AsyncDisposable {
  readonly client: Client;
  readonly url: string;
}

/** Starts an HTTP server, and creates a client with the given limits. */
async function setUp(
  respond: (response: ServerResponse, request: IncomingMessage) => unknown,
  limits: Partial<CoreLimits> = {},
): Promise<Setup> {
  const server = createServer((request, response) => void respond(response, request));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createClient({ schemes: [http()], policy: anyAddress(), limits });
  return {
    client,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      await client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("responses whose bodies are not read free their connections", () => {
  it.each<[title: string, respond: (response: ServerResponse) => unknown]>([
    ["of 2 bytes", (response) => response.end("hi")],
    ["with Content-Length: 0", (response) => response.writeHead(200, { "content-length": 0 }).end()],
    ["of 2 bytes in two chunks", (response) => response.write("h", () => response.end("i"))],
    ["with status 204", (response) => response.writeHead(204).end()],
  ])("20 responses %s free their connections, and the client closes", async (_, respond) => {
    await using setup = await setUp(respond);
    const responses: Response[] = [];
    for (let count = 0; count < 20; count++) responses.push(await setup.client.fetch(setup.url));
    await setup.client.close();
    expect(responses.map(({ bodyUsed }) => bodyUsed)).toEqual(responses.map(() => false));
    for (const response of responses) expect((await response.text()).length).toBeLessThan(3);
  });

  it("a response that is garbage-collected frees its connection", async () => {
    await using setup = await setUp((response) => response.end(MEBIBYTE), { maxConnectionsPerHost: 1 });
    await setup.client.fetch(setup.url);
    const hasFetched = new AbortController();
    const fetched = setup.client.fetch(setup.url).finally(() => hasFetched.abort());
    while (!hasFetched.signal.aborted) {
      collectGarbage();
      await new Promise(setImmediate);
    }
    expect((await (await fetched).arrayBuffer()).byteLength).toBe(MEBIBYTE.length);
  });

  it("a stream that the caller holds without its response stays open", async () => {
    await using setup = await setUp((response) => response.end(MEBIBYTE));
    const { body } = await setup.client.fetch(setup.url);
    for (let count = 0; count < 10; count++) {
      collectGarbage();
      await new Promise(setImmediate);
    }
    let bytes = 0;
    for await (const chunk of body ?? []) bytes += chunk.length;
    expect(bytes).toBe(MEBIBYTE.length);
  });
});

describe("maxBodyBytes limits the methods that collect the body of a response", () => {
  const form = "content-disposition: form-data; name=a";
  const formData = `--b\r\n${form}\r\n\r\n${"x".repeat(500_000)}\r\n--b--\r\n`;
  const respond = (response: ServerResponse): unknown =>
    response.writeHead(200, { "content-type": "multipart/form-data; boundary=b" }).end(formData);

  it.each(["text", "json", "arrayBuffer", "bytes", "blob", "formData"] as const)(
    "maxBodyBytes limits %s() of a response and of its clones",
    async (method) => {
      await using setup = await setUp(respond, { maxBodyBytes: 400_000 });
      const { client, url } = setup;
      const collect = (response: Response): Promise<unknown> =>
        (response as unknown as Record<typeof method, () => Promise<unknown>>)[method]();
      const limited = { name: "TypeError", cause: { code: "limit", limit: "maxBodyBytes" } };
      await expect(collect(await client.fetch(url))).rejects.toMatchObject(limited);
      const response = await client.fetch(url);
      await expect(collect(response.clone())).rejects.toMatchObject(limited);
      await expect(collect((await client.fetch(url)).clone().clone())).rejects.toMatchObject(limited);
    },
  );

  it("maxBodyBytes limits a body that was received before the call of text()", async () => {
    await using setup = await setUp((response) => response.end("0123456789"), { maxBodyBytes: 9 });
    const response = await setup.client.fetch(setup.url);
    await setup.client.close();
    const error = await response.text().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).cause).toBeInstanceOf(AccessError);
  });

  it("a body of exactly maxBodyBytes and a longer stream are read", async () => {
    await using setup = await setUp(respond, { maxBodyBytes: formData.length });
    expect(await (await setup.client.fetch(setup.url)).text()).toBe(formData);
    await using other = await setUp(respond, { maxBodyBytes: 9 });
    let bytes = 0;
    for await (const chunk of (await other.client.fetch(other.url)).body ?? []) bytes += chunk.length;
    expect(bytes).toBe(formData.length);
  });
});

describe("callTimeoutMs limits the methods of the client that read a whole body", () => {
  it.each(["text", "json", "bytes"] as const)(
    "callTimeoutMs ends client.%s() when the server sends a body slowly and without end",
    async (method) => {
      await using setup = await setUp((response) => {
        const timer = setInterval(() => response.write("1"), 20);
        response.on("close", () => clearInterval(timer));
      });
      const limits = { callTimeoutMs: 200, idleTimeoutMs: 10_000 };
      const read = setup.client[method] as (url: string, options: object) => Promise<unknown>;
      await expect(read(setup.url, { limits })).rejects.toMatchObject({
        code: "timeout",
        limit: "callTimeoutMs",
      });
    },
  );
});
