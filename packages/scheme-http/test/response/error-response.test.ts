import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { startScriptedServer, type ScriptedPeer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  createTestClient,
  getRejectedError,
  readRequestHead,
} from "../test-client.ts";

const JSON_BODY = '{"error":"bad email"}';

const formatHttpResponse = (status: string, fields: string, body: string): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Returns a script that sends a response, and keeps the connection open. */
function sendAndWait(response: string | Buffer): (peer: ScriptedPeer) => Promise<void> {
  return async (peer) => {
    await readRequestHead(peer);
    peer.send(response);
    await peer.readLine();
  };
}

describe("the property response of an error", () => {
  it("the property response contains status, headers and body of the error response", async () => {
    const fields =
      "Content-Type: application/json\r\nX-Request-Id: 7\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n";
    await using server = await startScriptedServer(
      createSingleResponseScript(formatHttpResponse("422 Unprocessable", fields, JSON_BODY)),
    );
    await using client = createTestClient();
    const error = await getRejectedError(client.json(createServerUrl(server)));
    const { response } = error;
    expect(error).toMatchObject({ code: "rejected", status: 422 });
    expect(response).toMatchObject({ status: 422, statusText: "Unprocessable", isBodyTruncated: false });
    expect(response?.headers.get("x-request-id")).toBe("7");
    expect(response?.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response?.text()).toBe(JSON_BODY);
    expect(response?.json()).toEqual({ error: "bad email" });
    for (const text of [error.message, inspect(error, { showHidden: true }), JSON.stringify(error)])
      expect(text).not.toContain("bad email");
  });

  it.each(["put", "delete"] as const)(
    "the property response contains the body of the response to %s",
    async (method) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(formatHttpResponse("409 Conflict", "", JSON_BODY)),
      );
      await using client = createTestClient();
      const url = createServerUrl(server);
      const error = await getRejectedError(method === "put" ? client.put(url, "x") : client.delete(url));
      expect([error.code, error.response?.text()]).toEqual(["rejected", JSON_BODY]);
    },
  );

  it("text() decodes the body of an error response by its byte order mark", async () => {
    const fields = "Content-Type: text/plain; charset=utf-16\r\n";
    await using server = await startScriptedServer(
      createSingleResponseScript(formatHttpResponse("400 Bad", fields, "\xfe\xff\0n\0o")),
    );
    await using client = createTestClient();
    const { response } = await getRejectedError(client.text(createServerUrl(server)));
    expect(response?.text()).toBe("no");
  });

  it("the response to HEAD has headers and no body", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript("HTTP/1.1 404 No\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n"),
    );
    await using client = createTestClient();
    const { response } = await getRejectedError(client.stat(createServerUrl(server)));
    expect(response).toMatchObject({ isBodyTruncated: false, body: new Uint8Array(0) });
    expect(response?.headers.get("content-length")).toBe("9");
  });

  it.each([
    [true, JSON_BODY, null],
    [false, "\x1f", "gzip"],
  ])(
    "with decompress: %s, the body of an error response begins with %j",
    async (decompress, start, coding) => {
      const body = gzipSync(JSON_BODY);
      const head = `HTTP/1.1 400 Bad\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
      await using server = await startScriptedServer(sendAndWait(Buffer.concat([Buffer.from(head), body])));
      await using client = createTestClient();
      const { response } = await getRejectedError(
        client.dereference(createServerUrl(server), { decompress }),
      );
      expect(response?.text().startsWith(start)).toBe(true);
      expect(response?.headers.get("content-encoding")).toBe(coding);
    },
  );

  it("the property response has at most 64 KiB of the body, and json() throws for a truncated body", async () => {
    await using server = await startScriptedServer(
      sendAndWait(formatHttpResponse("400 Bad", "", "1".repeat(65_537))),
    );
    await using client = createTestClient();
    const { response } = await getRejectedError(client.text(createServerUrl(server)));
    expect([response?.body.length, response?.isBodyTruncated]).toEqual([65_536, true]);
    expect(() => response?.json()).toThrow(
      new SyntaxError("the body is truncated after 65536 bytes, and cannot be read as JSON"),
    );
  });

  it.each<[string, string]>([
    ["Content-Length: 9\r\n", "part"],
    ["Transfer-Encoding: chunked\r\n", "4\r\npart\r\nno chunk\r\n"],
  ])("a fault of the body with %j ends the body, and the status decides the error", async (fields, sent) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(`HTTP/1.1 403 No\r\n${fields}\r\n${sent}`),
    );
    await using client = createTestClient();
    const error = await getRejectedError(client.text(createServerUrl(server)));
    expect(error).toMatchObject({ code: "permission-denied", status: 403 });
    expect([error.response?.text(), error.response?.isBodyTruncated]).toEqual(["part", true]);
  });

  it("the client waits at most one second for the end of the body of an error response", async () => {
    await using server = await startScriptedServer(
      sendAndWait("HTTP/1.1 400 Bad\r\nContent-Length: 9\r\n\r\npart"),
    );
    await using client = createTestClient();
    const error = await getRejectedError(client.text(createServerUrl(server)));
    expect([error.status, error.response?.text(), error.response?.isBodyTruncated]).toEqual([
      400,
      "part",
      true,
    ]);
  });

  it("the connection serves another request after the body of an error response has been read", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while ((await readRequestHead(peer)).length > 0) peer.send(formatHttpResponse("404 No", "", "none"));
    });
    await using client = createTestClient();
    await getRejectedError(client.text(createServerUrl(server)));
    await getRejectedError(client.text(createServerUrl(server)));
    expect(server.connections.length).toBe(1);
  });
});
