import { anyAddress } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { createDefaultClient } from "../src/default-client.ts";
import { startGateway } from "../src/index.ts";
import {
  type ReceivedGatewayResponse,
  sendRequestToGateway,
  startGopherServer,
  type TestRequestOptions,
} from "./test-gateway.ts";

const FRESH = "Cache-Control: max-age=60";

/** A gateway with a shared cache in front of an HTTP server that counts its requests. */
interface CachingGateway extends AsyncDisposable {
  /** The heads of the requests that the server has received. */
  readonly requests: readonly string[];
  get(
    path: string,
    options?: TestRequestOptions & { readonly login?: string },
  ): Promise<ReceivedGatewayResponse>;
}

/** Starts a gateway whose server requires a login for paths under `/private` and answers with the request number. */
async function startCachingGateway(headers: string): Promise<CachingGateway> {
  const requests: string[] = [];
  const server = await startScriptedServer(async (peer) => {
    for (;;) {
      const lines: string[] = [];
      for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
      if (lines.length === 0) return;
      const head = lines.join("\n").toLowerCase();
      const body = `answer ${requests.push(head)}`;
      const isRefused = head.includes(" /private") && !head.includes("authorization:");
      const status = isRefused
        ? '401 Unauthorized\r\nWWW-Authenticate: Basic realm="r"'
        : `200 OK\r\n${headers}`;
      peer.send(
        `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
  });
  const client = createDefaultClient({
    policy: anyAddress({ allowPorts: { http: [server.port] } }),
    cache: memoryCache({ shared: true }),
  });
  const gateway = await startGateway(client, { port: 0 });
  return {
    requests,
    get: (path, { login = "", ...options } = {}) =>
      sendRequestToGateway(gateway.port, `/~raw/http/${login}127.0.0.1:${server.port}${path}`, options),
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await client.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a gateway with a cache", () => {
  it.each([
    [60_000, 1],
    [undefined, 2],
  ])(
    "with gopherCacheTtlMs %j, two requests for a Gopher menu open this number of connections: %i",
    async (gopherCacheTtlMs, count) => {
      await using server = await startGopherServer({ "/a": "0Found\t/b\th.example\t70\r\n.\r\n" });
      await using client = createDefaultClient({
        policy: anyAddress({ allowPorts: { gopher: [server.port] } }),
        cache: memoryCache({ shared: true }),
        gopherCacheTtlMs,
      });
      const gateway = await startGateway(client, { port: 0 });
      for (let index = 0; index < 2; index++) {
        const page = await sendRequestToGateway(gateway.port, `/gopher/127.0.0.1:${server.port}/1/a`);
        expect(page.text).toContain("Found");
      }
      expect(server.connections).toHaveLength(count);
      await gateway.close();
    },
  );

  it("a stored response answers the second user, whose credentials reach no server", async () => {
    await using gateway = await startCachingGateway(FRESH);
    expect((await gateway.get("/")).text).toBe("answer 1");
    const credentials = { authorization: "Bearer of-ada", cookie: "session=of-ada" };
    expect((await gateway.get("/", { headers: credentials })).text).toBe("answer 1");
    expect((await gateway.get("/other", { headers: credentials })).text).toBe("answer 2");
    expect((await gateway.get("/other")).text).toBe("answer 2");
    expect(gateway.requests.join("\n")).not.toMatch(/authorization|cookie|of-ada/);
  });

  it.each([
    ["a private response", "/", `${FRESH}, private`],
    ["a response that sets a cookie for one user", "/", `${FRESH}, private\r\nSet-Cookie: a=b`],
    ["a response with no-store", "/", "Cache-Control: no-store"],
  ])("%s is not stored", async (_title, path, headers) => {
    await using gateway = await startCachingGateway(headers);
    expect((await gateway.get(path)).text).toBe("answer 1");
    expect((await gateway.get(path)).text).toBe("answer 2");
  });

  it("the gateway refuses a URL with a login, so the cache stores no response for a login", async () => {
    await using gateway = await startCachingGateway(`${FRESH}, public`);
    expect((await gateway.get("/private")).status).toBe(403);
    expect((await gateway.get("/private", { login: "ada:pw@" })).status).toBe(403);
    expect(gateway.requests).toHaveLength(1);
  });
});
