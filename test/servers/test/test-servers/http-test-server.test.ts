import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startHttpFileTestServer } from "../../src/test-servers/http-test-server.ts";
import { sendAndReceiveAll, isListening } from "./send-and-receive.ts";

const httpTestServerOptions = {
  files: { "a.txt": "0123456789", "dir/index.html": "<p>", "ü b": "x" },
  redirects: { "/old": { status: 301, location: "/a.txt" } },
} as const;

describe("the HTTP test server", () => {
  it.each([
    {
      target: "/a.txt",
      answer: /^HTTP\/1\.1 200 [^]*content-type: text\/plain; charset=utf-8[^]*\r\n\r\n0123456789$/,
    },
    { target: "/a.txt?q", answer: /^HTTP\/1\.1 200 / },
    { target: "http://any.example/a.txt", answer: /^HTTP\/1\.1 200 / },
    { target: "/%C3%BC%20b", answer: /^HTTP\/1\.1 200 [^]*\r\n\r\nx$/ },
    { target: "/dir/", answer: /^HTTP\/1\.1 200 [^]*\r\n\r\n<p>$/ },
    { target: "/dir", answer: /^HTTP\/1\.1 301 [^]*location: \/dir\/\r\n/ },
    { target: "/", answer: /^HTTP\/1\.1 404 / },
    { target: "/none", answer: /^HTTP\/1\.1 404 / },
    { target: "/%ff", answer: /^HTTP\/1\.1 400 / },
    { target: "/old", answer: /^HTTP\/1\.1 301 [^]*location: \/a\.txt\r\n/ },
    {
      target: "/a.txt",
      field: "Range: bytes=2-4",
      answer: /206 [^]*content-range: bytes 2-4\/10\r\n[^]*\r\n\r\n234$/,
    },
    { target: "/a.txt", field: "Range: bytes=7-", answer: /206 [^]*\r\n\r\n789$/ },
    { target: "/a.txt", field: "Range: bytes=-2", answer: /206 [^]*\r\n\r\n89$/ },
    { target: "/a.txt", field: "Range: bytes=10-", answer: /416 [^]*content-range: bytes \*\/10\r\n/ },
    { target: "/a.txt", field: "Range: bytes=5-2", answer: /^HTTP\/1\.1 200 / },
    { target: "/a.txt", field: "Range: bytes=0-1,3-4", answer: /^HTTP\/1\.1 200 / },
    {
      target: "/a.txt",
      field: "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT",
      answer: /304 [^]*\r\n\r\n$/,
    },
    {
      target: "/a.txt",
      field: "If-Modified-Since: Wed, 31 Dec 2025 23:59:59 GMT",
      answer: /^HTTP\/1\.1 200 /,
    },
  ])(
    "the HTTP test server responds to GET $target with the field $field",
    async ({ target, field, answer }) => {
      await using server = await startHttpFileTestServer(httpTestServerOptions);
      const lines = [
        `GET ${target} HTTP/1.1`,
        "Host: a.example",
        "Connection: close",
        ...(field === undefined ? [] : [field]),
      ];
      expect(await sendAndReceiveAll(server.port, `${lines.join("\r\n")}\r\n\r\n`)).toMatch(answer);
      expect(server.receivedLines).toEqual(lines);
    },
  );

  it("the HTTP test server sends no body for HEAD, and refuses PUT with 405", async () => {
    await using server = await startHttpFileTestServer(httpTestServerOptions);
    expect(await sendAndReceiveAll(server.port, "HEAD /a.txt HTTP/1.0\r\n\r\n")).toMatch(
      /200 [^]*content-length: 10\r\n[^]*\r\n\r\n$/,
    );
    expect(await sendAndReceiveAll(server.port, "PUT /a.txt HTTP/1.0\r\n\r\n")).toMatch(
      /405 [^]*allow: GET, HEAD\r\n/,
    );
  });

  it("stop() closes idle connections of the HTTP test server", async () => {
    const server = await startHttpFileTestServer(httpTestServerOptions);
    const socket = connect({ host: "127.0.0.1", port: server.port }).on("error", () => {});
    await once(socket, "connect");
    const closed = once(socket, "close");
    await server.stop();
    await closed;
    expect(await isListening(server.port)).toBe(false);
  });
});
