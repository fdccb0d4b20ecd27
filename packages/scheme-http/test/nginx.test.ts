import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { createClient, type Resource, anyAddress } from "@anyscheme/core";
import type { CredentialRequest, Credentials } from "@anyscheme/core/plugin";
import {
  type LoopbackServer,
  getPlannedBytes,
  startScriptedServer,
  startRecordingProxy,
} from "@anyscheme/core/testing";
import { http, type HttpContentResource, https } from "@anyscheme/scheme-http";
import { nginxLogin, type NginxServer, startNginx } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { afterAll, beforeAll, beforeEach, afterEach, expect, it } from "vitest";
import {
  createServerUrl,
  getRejectedError,
  getWithGivenClient,
  type HttpGetOptions,
  readRequestHead,
  type HttpTestClient,
  createTestClient,
} from "./test-client.ts";

describeIfServerAvailable("nginx", "the http and https schemes work with the server nginx", () => {
  let nginx: NginxServer;
  let tap: LoopbackServer;
  let client: HttpTestClient;

  beforeAll(async () => {
    nginx = await startNginx();
  });
  afterAll(() => nginx.stop());
  beforeEach(async () => {
    tap = await startRecordingProxy(nginx.port);
    client = createTestClient();
  });
  afterEach(async () => {
    await client.destroy();
    await tap.stop();
  });

  const get = (url: string, options?: HttpGetOptions): Promise<HttpContentResource> =>
    getWithGivenClient(client, url, options);

  /** Closes the client and returns the bytes received on each connection. */
  const received = async (): Promise<Buffer[]> => {
    await client.destroy();
    await Promise.all(tap.connections.map(({ closed }) => closed));
    return tap.connections.map((connection) => connection.received);
  };

  it("the client gets a file from nginx with its metadata", async () => {
    const resource = await get(createServerUrl(tap, "/hello.txt"));
    expect(resource).toMatchObject({
      mediaType: "text/plain",
      size: 6,
      httpResponse: { status: 200, version: "1.1" },
    });
    expect(resource.modified).toBeInstanceOf(Date);
    expect(await resource.text()).toBe("hello\n");
    expect(await resource.completeness).toBe("verified");
    expect(await received()).toEqual([getPlannedBytes(resource.plan)]);
  });

  it.each(["/r301", "/r302", "/r303", "/r307", "/r308", "/rabs"])(
    "the client follows the redirect of nginx at %s",
    async (path) => {
      const resource = await get(createServerUrl(tap, path));
      expect(await resource.text()).toBe("hello\n");
      expect(resource.redirectChain).toHaveLength(1);
      const planned = [resource.redirectChain[0]?.fromUrl, resource.url].map((url) =>
        getPlannedBytes(client.plan(url ?? "")),
      );
      // The client sends all requests on one connection. The redirect to an absolute URL bypasses the recording proxy.
      expect(await received()).toEqual([path === "/rabs" ? planned[0] : Buffer.concat(planned)]);
    },
  );

  it.each([
    ["/s404", "not-found"],
    ["/missing", "not-found"],
    ["/s500", "unavailable"],
    ["/auth", "authentication-required"],
    ["/cut", "incomplete"],
    ["/rloop", "refused-redirect"],
    ["/rchain/1", "limit"],
    ["/rfile", "refused-redirect"],
    ["/rftp", "refused-redirect"],
    ["/rgopher", "refused-redirect"],
    // nginx sends an empty Location header, which refers to the URL of the request.
    ["/rnoloc", "refused-redirect"],
  ])("a request to nginx for %s throws %s", async (path, code) => {
    expect(await getRejectedError(get(createServerUrl(tap, path)))).toMatchObject({
      name: "AccessError",
      code,
    });
    const planned = getPlannedBytes(client.plan(createServerUrl(tap, path)));
    expect((await received())[0]?.subarray(0, planned.length)).toEqual(planned);
  });

  it("the client reads chunked, compressed and empty responses of nginx", async () => {
    const text = await readFile(`${nginx.root}/text.txt`, "utf8");
    const chunked = await get(createServerUrl(tap, "/chunked"));
    expect(chunked.httpResponse.headers["transfer-encoding"]).toEqual(["chunked"]);
    expect(await chunked.text()).toBe(text);
    expect(await chunked.completeness).toBe("verified");
    const coded = await get(createServerUrl(tap, "/gz"));
    expect(coded.httpResponse.headers["content-encoding"]).toEqual(["gzip"]);
    expect(coded.size).toBeUndefined();
    expect(await coded.text()).toBe(text);
    expect((await get(createServerUrl(tap, "/bighdr"))).httpResponse.headers["x-big"]?.[0]).toHaveLength(
      4000,
    );
    expect(await (await get(createServerUrl(tap, "/s204"))).bytes()).toHaveLength(0);
    expect(await (await get(createServerUrl(tap, "/latin"))).text()).toBe("ok\n");
  });

  it("the client receives all bytes of a file of 1 MiB from nginx", async () => {
    const bytes = await (await get(createServerUrl(tap, "/big.bin"))).bytes();
    expect(Buffer.from(bytes).equals(await readFile(`${nginx.root}/big.bin`))).toBe(true);
  });

  it("nginx supports ranges, HEAD and conditional requests", async () => {
    const url = createServerUrl(tap, "/text.txt");
    const text = await readFile(`${nginx.root}/text.txt`, "utf8");
    const part = await get(url, { range: { start: 100, endExclusive: 200 } });
    expect([part.httpResponse.status, part.size, await part.text()]).toEqual([
      206,
      100,
      text.slice(100, 200),
    ]);
    const stat = await client.stat(url);
    expect(stat).toMatchObject({ kind: "content", size: text.length, mediaType: "text/plain" });
    const unchanged: Resource = await get(url, { ifModifiedSince: stat.modified });
    expect(unchanged.kind).toBe("not-modified");
    const tag = (await get(url)).httpResponse.headers["etag"]?.[0];
    expect(((await get(url, { ifNoneMatch: tag })) as Resource).kind).toBe("not-modified");
    expect(await (await get(url, { range: { start: text.length } })).bytes()).toHaveLength(0);
    expect(await getRejectedError(get(url, { range: { start: text.length + 1 } }))).toMatchObject({
      code: "out-of-range",
    });
  });

  it("the option resume continues a body from nginx at the byte where the connection was lost", async () => {
    let cuts = 3;
    await using cutting = await startScriptedServer(async (peer) => {
      const upstream = connect(nginx.port, "127.0.0.1");
      const lines = await readRequestHead(peer);
      upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
      let passed = 0;
      for await (const piece of upstream as AsyncIterable<Buffer>) {
        peer.send(piece);
        passed += piece.length;
        if (passed > 200_000 && cuts-- > 0) break;
      }
      upstream.destroy();
    });
    const resource = await get(createServerUrl(cutting, "/big.bin"), { resume: { backoffMs: 1 } });
    const bytes = await resource.bytes();
    expect(Buffer.from(bytes).equals(await readFile(`${nginx.root}/big.bin`))).toBe(true);
    expect(await resource.completeness).toBe("verified");
    expect(cutting.connections).toHaveLength(4);
  });

  it("the client logs in to a realm of nginx with Basic", async () => {
    const asked: (string | undefined)[] = [];
    const credentials = ({ realm }: CredentialRequest): Credentials => {
      asked.push(realm);
      return nginxLogin;
    };
    expect(await (await get(createServerUrl(tap, "/auth"), { credentials })).text()).toBe("hello\n");
    expect(asked).toEqual(['realm "q"']);
    const wrong = get(createServerUrl(tap, "/auth"), {
      credentials: () => ({ user: "bob", password: "wrong" }),
    });
    expect(await getRejectedError(wrong)).toMatchObject({ code: "authentication-required" });
  });

  it("nginx receives the headers that the plan contains", async () => {
    const text = await (
      await get(createServerUrl(tap, "/headers?a=b%20c"), { headers: { "user-agent": "mine" } })
    ).text();
    expect(text).toBe(
      `host=127.0.0.1:${tap.port}|ua=mine|accept=*/*|auth=|ref=|uri=/headers?a=b%20c|v=HTTP/1.1\n`,
    );
  });

  it("a stalled response of nginx times out, and a slow body can be aborted", async () => {
    const stalled = await get(createServerUrl(tap, "/stall"), { limits: { idleTimeoutMs: 50 } });
    expect(await getRejectedError(stalled.bytes())).toMatchObject({
      code: "timeout",
      limit: "idleTimeoutMs",
    });
    const late = get(createServerUrl(tap, "/late"), { limits: { firstByteTimeoutMs: 50 } });
    expect(await getRejectedError(late)).toMatchObject({ code: "timeout", limit: "firstByteTimeoutMs" });
    const abort = new AbortController();
    const slow = await get(createServerUrl(tap, "/slow"), { signal: abort.signal });
    const reader = slow.body.getReader();
    await reader.read();
    abort.abort();
    expect(await getRejectedError(reader.read())).toMatchObject({ code: "aborted" });
  });

  it("the client gets a file from nginx over IPv6", async () => {
    const resource = await get(`http://[::1]:${nginx.port}/hello.txt`);
    expect(await resource.text()).toBe("hello\n");
    const line = (await nginx.loggedRequests(1)).find(({ host }) => host.includes("::1"));
    expect(line?.host).toBe(`[::1]:${nginx.port}`);
  });

  it("the client gets files from nginx over TLS and verifies its certificate", async () => {
    const ca = await readFile(nginx.certificatePath, "utf8");
    const secured = createClient({ schemes: [http(), https({ ca })], policy: anyAddress() });
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const resource = await secured.dereference(`https://${host}:${nginx.tlsPort}/headers`);
      expect(resource.httpResponse).toMatchObject({ status: 200 });
      expect(await resource.text()).toContain(`host=${host}:${nginx.tlsPort}|`);
    }
    expect((await nginx.loggedRequests()).some(({ tls }) => tls.startsWith("TLSv1."))).toBe(true);
    const big = await secured.dereference(`https://127.0.0.1:${nginx.tlsPort}/big.bin`);
    expect(Buffer.from(await big.bytes()).equals(await readFile(`${nginx.root}/big.bin`))).toBe(true);
    const cut = secured.dereference(`https://127.0.0.1:${nginx.tlsPort}/cut`);
    expect(await getRejectedError(cut)).toMatchObject({ code: "incomplete" });
  });

  it("https fails for an untrusted certificate of nginx and for a port without TLS", async () => {
    const untrusted = getRejectedError(client.dereference(`https://127.0.0.1:${nginx.tlsPort}/hello.txt`));
    expect(await untrusted).toMatchObject({ code: "unavailable", step: { action: "tls" } });
    const clear = getRejectedError(client.dereference(`https://127.0.0.1:${tap.port}/hello.txt`));
    expect(await clear).toMatchObject({ code: "unavailable", step: { action: "tls" } });
  });
});
