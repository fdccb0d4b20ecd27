import { startScriptedServer } from "@anyscheme/core/testing";
import { startHttpFileTestServer } from "@anyscheme/servers";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createSingleResponseScript, createServerUrl, testClient, readRequestHead } from "./test-client.ts";

const formatHttpResponse = (status: string, fields = "", content = "content"): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${content.length}\r\n\r\n${content}`;

describe("client.fetch performs a request to an http URL", () => {
  it("fetch returns the status, reason phrase and headers of the server, including repeated headers", async () => {
    const fields = "Content-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: x\r\n";
    await using server = await startScriptedServer(
      createSingleResponseScript(formatHttpResponse("404 Not Here", fields)),
    );
    const response = await testClient.fetch(createServerUrl(server, "/x"));
    expect(response).toMatchObject({
      status: 404,
      statusText: "Not Here",
      ok: false,
      url: createServerUrl(server, "/x"),
    });
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("connection")).toBeNull();
    expect(await response.text()).toBe("content");
  });

  it.each([
    ["O\x1b[31mK", "O?[31mK"],
    ["\0", "?"],
    ["O\x7fK\t\xe9", "O?K\t\xe9"],
  ])("fetch returns the reason phrase %j as the status text %j", async (reason, statusText) => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(Buffer.from(formatHttpResponse(`200 ${reason}`), "latin1"));
    });
    const response = await testClient.fetch(createServerUrl(server));
    expect(response.statusText).toBe(statusText);
    expect(await response.text()).toBe("content");
  });

  it("toResponse() of an http resource returns the status and headers of the server", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript(formatHttpResponse("203 Odd", "X-A: 1\r\n")),
    );
    const response = (await testClient.dereference(createServerUrl(server))).toResponse();
    expect([response.status, response.headers.get("x-a"), await response.text()]).toEqual([
      203,
      "1",
      "content",
    ]);
  });

  it("fetch decodes the body and omits Content-Encoding and Content-Length", async () => {
    const bytes = gzipSync("hello");
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      peer.send(bytes);
    });
    const response = await testClient.fetch(createServerUrl(server));
    expect(await response.text()).toBe("hello");
    expect([...response.headers.keys()]).toEqual([]);
  });

  it("fetch follows, refuses or returns a redirect according to its option redirect", async () => {
    await using server = await startHttpFileTestServer({
      files: { "there.txt": "there" },
      redirects: { "/here": { status: 302, location: "/there.txt" } },
    });
    const url = createServerUrl(server, "/here");
    const followed = await testClient.fetch(url);
    expect(followed).toMatchObject({
      redirected: true,
      url: createServerUrl(server, "/there.txt"),
      status: 200,
    });
    expect(await followed.text()).toBe("there");
    await expect(testClient.fetch(url, { redirect: "error" })).rejects.toMatchObject({
      cause: { code: "refused-redirect" },
    });
    const manual = await testClient.fetch(url, { redirect: "manual" });
    expect([manual.status, manual.headers.get("location")]).toEqual([302, "/there.txt"]);
    await manual.body?.cancel();
  });

  it("throwHttpErrors and decompress stay in effect after a redirect to another origin, but a header that may be secret is not sent", async () => {
    const bytes = gzipSync("missing");
    await using other = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      const fields = `Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n`;
      peer.send(`HTTP/1.1 404 Not Found\r\n${fields}\r\n`);
      peer.send(bytes);
    });
    await using first = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(formatHttpResponse("302 Found", `Location: ${createServerUrl(other, "/missing")}\r\n`));
    });
    const headers = { "x-secret": "abc" };
    const response = await testClient.fetch(createServerUrl(first), { headers });
    expect([response.status, await response.text()]).toEqual([404, "missing"]);
    expect(response.redirected).toBe(true);
    expect(other.connections[0]?.received.toString()).not.toContain("x-secret");

    const raw = await testClient.dereference(createServerUrl(first), {
      throwHttpErrors: false,
      decompress: false,
    });
    expect(Buffer.from((await raw.bytes()).subarray(0, 2))).toEqual(Buffer.from(bytes.subarray(0, 2)));
  });

  it("fetch supports Range, HEAD and conditional requests", async () => {
    const modified = new Date(Date.UTC(2026, 0, 1));
    await using server = await startHttpFileTestServer({
      files: { "f.txt": "0123456789" },
      modifiedAt: modified,
    });
    const url = createServerUrl(server, "/f.txt");
    const part = await testClient.fetch(url, { headers: { range: "bytes=2-4" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/10",
      "234",
    ]);
    for (const range of ["bytes=10-", "bytes=11-"]) {
      const none = await testClient.fetch(url, { headers: { range } });
      expect([none.status, none.headers.get("content-range")]).toEqual([416, "bytes */10"]);
    }
    const attributes = await testClient.fetch(url, { method: "HEAD" });
    expect([attributes.status, attributes.headers.get("content-length")]).toEqual([200, "10"]);
    const same = await testClient.fetch(url, { headers: { "if-modified-since": modified.toUTCString() } });
    expect(same.status).toBe(304);
    expect((await testClient.fetch(createServerUrl(server, "/none"), { method: "HEAD" })).status).toBe(404);
  });

  it("fetch sends the caller's headers, except those that frame the message or control the connection", async () => {
    await using server = await startScriptedServer(createSingleResponseScript(formatHttpResponse("200 OK")));
    const headers = {
      "X-A": "1",
      Accept: "text/plain",
      "Accept-Encoding": "x",
      Cookie: "a=b",
      "If-Match": '"x"',
      Connection: "close",
      "Content-Length": "5",
      Expect: "100-continue",
      Host: "evil",
      "Keep-Alive": "x",
      "Proxy-Authorization": "x",
      TE: "trailers",
      "Transfer-Encoding": "chunked",
      Upgrade: "x",
    };
    await (await testClient.fetch(createServerUrl(server), { headers })).text();
    const received = server.connections[0]?.received.toString() ?? "";
    expect(received).toContain("\r\nx-a: 1\r\n");
    expect(received).toContain("\r\naccept: text/plain\r\n");
    expect(received).toContain("\r\naccept-encoding: x\r\n");
    expect(received).toContain('\r\ncookie: a=b\r\nif-match: "x"\r\n');
    expect(received).not.toMatch(/evil|close|length|100|alive|proxy|trailers|chunked|upgrade/i);
  });

  it("fetch sends PUT and DELETE, and returns the status of the server", async () => {
    await using server = await startScriptedServer(async (peer) => {
      const lines = await readRequestHead(peer);
      if (lines.includes("expect: 100-continue")) peer.send("HTTP/1.1 100 Continue\r\n\r\n");
      const length = /content-length: (\d+)/.exec(lines.join("\n"))?.[1] ?? "0";
      await peer.readBytes(Number(length));
      peer.send(formatHttpResponse(lines[0]?.startsWith("PUT") ? "201 Created" : "404 Not Found", "", ""));
    });
    expect((await testClient.fetch(createServerUrl(server), { method: "PUT", body: "hello" })).status).toBe(
      201,
    );
    expect((await testClient.fetch(createServerUrl(server), { method: "DELETE" })).status).toBe(404);
  });

  it("an abort cancels the stream of a request, and fetch rejects with the reason", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      await peer.closed;
    });
    const controller = new AbortController();
    const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
    const body = new ReadableStream<Uint8Array>(
      { pull: () => controller.abort(), cancel: resolve },
      { highWaterMark: 0 },
    );
    const init = { method: "POST", body, duplex: "half", signal: controller.signal } as const;
    const error = await testClient.fetch(createServerUrl(server), init).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toBe(controller.signal.reason);
    await cancelled;
  });

  it("fetch closes the connection of a response that the Fetch standard does not allow", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send("HTTP/1.1 999 Denied\r\nContent-Length: 5\r\n\r\n");
      await peer.closed;
    });
    await expect(testClient.fetch(createServerUrl(server))).rejects.toMatchObject({
      cause: { code: "protocol" },
    });
    await server.connections[0]?.closed;
  });

  it("fetch does not wait for the end of a body that it cancels", async () => {
    const body = new ReadableStream({ cancel: () => new Promise(() => undefined) });
    const signal = AbortSignal.abort(new Error("enough"));
    const init = { method: "POST", body, duplex: "half", signal } as const;
    await expect(testClient.fetch("http://127.0.0.1:1024/", init)).rejects.toThrow("enough");
  });

  it("fetch reads a limited number of empty chunks of a Request in advance", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array()) });
    const request = new Request("http://127.0.0.1:25/", { method: "POST", body, duplex: "half" });
    await expect(testClient.fetch(request)).rejects.toMatchObject({ cause: { code: "refused-port" } });
  });

  it("the reader of a body that ends early fails with a TypeError whose cause is the AccessError", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
    );
    const response = await testClient.fetch(createServerUrl(server));
    await expect(response.text()).rejects.toMatchObject({
      name: "TypeError",
      message: "terminated",
      cause: { name: "AccessError", code: "incomplete" },
    });
  });

  it("a body that differs from the integrity metadata rejects with a TypeError", async () => {
    await using server = await startScriptedServer(createSingleResponseScript(formatHttpResponse("200 OK")));
    const options = { integrity: "sha256-AAAA" };
    await expect(testClient.fetch(createServerUrl(server), options)).rejects.toMatchObject({
      name: "TypeError",
      cause: { reason: "the body differs from the option integrity" },
    });
  });

  it("a body that is longer than maxBodyBytes is not compared with the integrity metadata", async () => {
    await using server = await startScriptedServer(createSingleResponseScript(formatHttpResponse("200 OK")));
    const options = { integrity: "sha256-AAAA", limits: { maxBodyBytes: 3 } };
    await expect(testClient.fetch(createServerUrl(server), options)).rejects.toMatchObject({
      cause: { code: "limit", limit: "maxBodyBytes" },
    });
  });

  it("the long body of a Request is streamed", async () => {
    const chunk = new Uint8Array(65_536);
    let left = 64;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    await using server = await startScriptedServer(async (peer) => {
      const lines = await readRequestHead(peer);
      let total = 0;
      for (let size = 1; size > 0; total += size) {
        size = parseInt((await peer.readLine()) ?? "0", 16);
        await peer.readBytes(size + 2);
      }
      peer.send(formatHttpResponse("200 OK", "", `${lines.includes("transfer-encoding: chunked")} ${total}`));
    });
    const request = new Request(createServerUrl(server), { method: "POST", body, duplex: "half" });
    expect(await (await testClient.fetch(request)).text()).toBe(`true ${64 * 65_536}`);
    expect(request.bodyUsed).toBe(true);
  });
});
