import { AccessError, createClient, publicInternet, anyAddress } from "@anyscheme/core";
import {
  getPlannedBytes,
  startScriptedServer,
  startForbiddenServer,
  watchClientSocketReads,
} from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  MAX_SOCKET_RECEIVE_BUFFER_BYTES,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "./test-client.ts";

const formatHttpResponse = (status: string, fields = "", content = ""): string =>
  `HTTP/1.1 ${status}\r\n${fields}\r\n${content}`;
const formatOkResponse = (fields: string, content = ""): string =>
  formatHttpResponse("200 OK", fields, content);

const BYTES_PER_MIB = 1_048_576;

describe("the client returns the content of an http URL", () => {
  it("an http resource contains the body and the headers of the response", async () => {
    const modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    const fields = `Content-Type: text/plain; charset=iso-8859-1\r\nContent-Length: 2\r\n${modified}Set-Cookie: a\r\nset-cookie: b\r\n`;
    await using server = await startScriptedServer(
      createSingleResponseScript(formatOkResponse(fields, "h\xe9")),
    );
    const resource = await getWithSharedTestClient(createServerUrl(server, "/a?b"));
    expect(resource).toMatchObject({
      kind: "content",
      mediaType: "text/plain; charset=iso-8859-1",
      size: 2,
      modified: new Date(Date.UTC(1994, 10, 6, 8, 49, 37)),
      httpResponse: { status: 200, reason: "OK", version: "1.1" },
    });
    expect(resource.httpResponse.headers["set-cookie"]).toEqual(["a", "b"]);
    expect(await resource.text()).toBe("hé");
    expect(await resource.completeness).toBe("verified");
    await server.connections[0]?.closed;
    expect(server.connections[0]?.received).toEqual(getPlannedBytes(resource.plan));
  });

  it.each([
    ["a body with a Content-Length", "Content-Length: 2\r\n", "hi", "verified", 2],
    ["a chunked body", "Transfer-Encoding: chunked\r\n", "2\r\nhi\r\n0\r\n\r\n", "verified", undefined],
    ["a body that ends when the connection closes", "", "hi", "unverified", undefined],
  ])(
    "a resource with %s states its completeness, and its size if the server sends it",
    async (_, fields, content, completeness, size) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(formatOkResponse(fields, content)),
      );
      const resource = await getWithSharedTestClient(createServerUrl(server));
      expect(resource.size).toBe(size);
      expect(resource.mediaType).toBe("application/octet-stream");
      expect(await resource.text()).toBe("hi");
      expect(await resource.completeness).toBe(completeness);
    },
  );

  it.each(["204 No Content", "205 Reset Content"])(
    "a response with status %s has empty content",
    async (status) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(formatHttpResponse(status, "Content-Length: 0\r\n")),
      );
      const resource = await getWithSharedTestClient(createServerUrl(server));
      expect(resource.size).toBe(0);
      expect(await resource.bytes()).toHaveLength(0);
    },
  );

  it("the client receives http content over IPv6", async () => {
    await using server = await startScriptedServer(createSingleResponseScript(formatOkResponse("", "six")), {
      address: "::1",
    });
    expect(await (await getWithSharedTestClient(createServerUrl(server))).text()).toBe("six");
    expect(server.connections[0]?.received.toString()).toContain(`\r\nhost: [::1]:${server.port}\r\n`);
  });

  it("a response body is not received before the caller reads it", async () => {
    const length = 16 * BYTES_PER_MIB;
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(formatOkResponse(`Content-Length: ${length}\r\n`));
      for (let sent = 0; sent < length; sent += BYTES_PER_MIB) peer.send(Buffer.alloc(BYTES_PER_MIB, "x"));
    });
    using connections = watchClientSocketReads();
    const resource = await getWithSharedTestClient(createServerUrl(server));
    // While the client receives 16 MiB from another server, the first server has time to send its body.
    await using other = await startScriptedServer(
      createSingleResponseScript(formatOkResponse(`Content-Length: ${length}\r\n`, "x".repeat(length))),
    );
    expect(await (await getWithSharedTestClient(createServerUrl(other))).bytes()).toHaveLength(length);
    expect(connections.countBytesReadByClient(server.port)).toBeLessThanOrEqual(
      MAX_SOCKET_RECEIVE_BUFFER_BYTES,
    );
    let received = 0;
    for await (const bytes of resource.body) {
      received += bytes.length;
      // The socket may have received at most two buffers that its reader has not requested.
      expect(connections.countBytesReadByClient(server.port) - received).toBeLessThanOrEqual(
        2 * MAX_SOCKET_RECEIVE_BUFFER_BYTES,
      );
    }
    expect(received).toBe(length);
  });
});

describe("the client reports faults of an http response body", () => {
  it("a connection reset at any byte of a response throws an AccessError", async () => {
    const whole = formatOkResponse("Transfer-Encoding: chunked\r\n", "2\r\nhi\r\n0\r\n\r\n");
    for (let length = 0; length < whole.length; length++) {
      await using server = await startScriptedServer(async (peer) => {
        await readRequestHead(peer);
        peer.send(whole.slice(0, length));
        peer.reset();
      });
      const outcome = getWithSharedTestClient(createServerUrl(server)).then((resource) => resource.bytes());
      expect(await getRejectedError(outcome)).toMatchObject({ name: "AccessError", code: "incomplete" });
    }
  });

  it.each([
    ["Content-Length", "Content-Length: 6\r\n", "hello"],
    ["chunk size", "Transfer-Encoding: chunked\r\n", "6\r\nhello"],
  ])("a response body shorter than its %s fails with incomplete", async (_, fields, content) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(formatOkResponse(fields, content)),
    );
    const resource = await getWithSharedTestClient(createServerUrl(server));
    expect(await getRejectedError(resource.bytes())).toMatchObject({ code: "incomplete" });
    expect(await getRejectedError(resource.completeness)).toMatchObject({ code: "incomplete" });
  });

  it("a connection reset fails with incomplete where a regular close would end the body", async () => {
    let wasRead = (): void => undefined;
    const read = new Promise<void>((resolve) => {
      wasRead = resolve;
    });
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(formatOkResponse("", "hello"));
      await read;
      peer.reset();
    });
    const reader = (await getWithSharedTestClient(createServerUrl(server))).body.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("hello");
    wasRead();
    expect(await getRejectedError(reader.read())).toMatchObject({ code: "incomplete" });
  });
});

describe("the error of an incomplete http response names the place where the response ended", () => {
  it.each([
    ["before the first byte of the response", "", "before it answered"],
    [
      "within the head of the response",
      "HTTP/1.1 200 OK\r\nConte",
      "before the head of the response was complete",
    ],
    [
      "after the head of the response",
      formatOkResponse("Content-Length: 6\r\n"),
      "after 0 of 6 bytes of the body",
    ],
    [
      "within a body with a Content-Length",
      formatOkResponse("Content-Length: 6\r\n", "hell"),
      "after 4 of 6 bytes of the body",
    ],
    [
      "within a chunk of the body",
      formatOkResponse("Transfer-Encoding: chunked\r\n", "2\r\nhe\r\n6\r\nll"),
      "after 4 bytes of the body, before the last chunk",
    ],
    [
      "after the last chunk, without the trailers",
      formatOkResponse("Transfer-Encoding: chunked\r\n", "2\r\nhe\r\n0\r\n"),
      "after 2 bytes of the body, within the trailers",
    ],
  ])("the error names the place where the response ended: %s", async (_, text, place) => {
    await using server = await startScriptedServer(createSingleResponseScript(text));
    const reading = getWithSharedTestClient(createServerUrl(server)).then((resource) => resource.bytes());
    expect(await getRejectedError(reading)).toMatchObject({
      code: "incomplete",
      reason: `the server closed the connection ${place}`,
    });
    await using resetting = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(text);
      peer.reset();
    });
    const failure = await getRejectedError(
      getWithSharedTestClient(createServerUrl(resetting)).then((resource) => resource.bytes()),
    );
    expect(failure).toMatchObject({ code: "incomplete", reason: expect.stringContaining(place) as string });
  });
});

describe("the client reports the status of an http response", () => {
  it.each([
    [300, "unsupported"],
    [304, "protocol"],
    [305, "unsupported"],
    [399, "unsupported"],
    [400, "rejected"],
    [401, "authentication-required"],
    [402, "permission-denied"],
    [403, "permission-denied"],
    [404, "not-found"],
    [405, "unsupported"],
    [406, "unsupported"],
    [407, "authentication-required"],
    [408, "unavailable"],
    [409, "rejected"],
    [410, "not-found"],
    [413, "permission-denied"],
    [415, "unsupported"],
    [416, "out-of-range"],
    [412, "rejected"],
    [418, "rejected"],
    [422, "rejected"],
    [423, "unavailable"],
    [425, "unavailable"],
    [426, "unsupported"],
    [429, "unavailable"],
    [451, "permission-denied"],
    [500, "unavailable"],
    [501, "unavailable"],
    [503, "unavailable"],
    [599, "unavailable"],
    [999, "unavailable"],
    [206, "protocol"],
  ])("status %d throws the error %s with the reason phrase of the server", async (status, code) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(
        formatHttpResponse(`${status} Some Words\x07`, "Content-Length: 5\r\n", "hello"),
      ),
    );
    const error = await getRejectedError(getWithSharedTestClient(createServerUrl(server, "/p")));
    expect(error).toBeInstanceOf(AccessError);
    expect(error.code).toBe(code);
    if (status !== 206) expect(error.reason).toBe(`the server answered ${status} Some Words?`);
    await server.connections[0]?.closed;
  });

  it("a content coding that the client does not support throws unsupported", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript(
        formatOkResponse("Content-Encoding: compress\r\nContent-Length: 1\r\n", "x"),
      ),
    );
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).toMatchObject({
      code: "unsupported",
    });
  });
});

describe("the client checks an http request before it is sent", () => {
  it.each<[string, string, Record<string, string>, string]>([
    ["a CR LF in a header", "/", { x: "1\r\ny: 2" }, "refused-characters"],
    ["a NUL in a header", "/", { x: "\0" }, "refused-characters"],
    ["a header name that is not a token", "/", { "x\r\ny": "1" }, "refused-characters"],
    ["a Host header that the caller sets", "/", { host: "other" }, "refused-characters"],
    ["a CR LF in the path of a URL", "/a\r\nb", {}, "control"],
    ["a CR LF in the search part of a URL", "/?a\r\nb", {}, "control"],
  ])("the client refuses %s without opening a connection", async (_, path, headers, code) => {
    await using tripwire = await startForbiddenServer();
    expect(
      (await getRejectedError(getWithSharedTestClient(createServerUrl(tripwire, path), { headers }))).code,
    ).toBe(code);
    expect(tripwire.connections).toEqual([]);
  });

  it("the request target keeps a percent-encoded CR LF encoded", async () => {
    await using server = await startScriptedServer(createSingleResponseScript(formatOkResponse("", "x")));
    const resource = await getWithSharedTestClient(createServerUrl(server, "/a%0d%0aHost:%20evil?%0A"));
    await resource.bytes();
    expect(server.connections[0]?.received.toString()).toMatch(
      /^GET \/a%0d%0aHost:%20evil\?%0A HTTP\/1\.1\r\n/,
    );
    expect(server.connections[0]?.received).toEqual(getPlannedBytes(resource.plan));
  });

  it("the policy refuses ports of other protocols and private addresses", async () => {
    await using tripwire = await startForbiddenServer();
    const strict = createClient({ schemes: [http()], policy: publicInternet() });
    expect(await getRejectedError(strict.dereference(createServerUrl(tripwire)))).toMatchObject({
      code: "refused-address",
    });
    for (const port of [0, 1, 22, 25, 443, 1023, 6000, 6667]) {
      expect(await getRejectedError(getWithSharedTestClient(`http://127.0.0.1:${port}/`))).toMatchObject({
        code: "refused-port",
      });
    }
    expect(tripwire.connections).toEqual([]);
  });
});

describe("the client enforces the time limits of an http request", () => {
  it.each<[string, string | undefined, object, string]>([
    ["no byte", undefined, { firstByteTimeoutMs: 20 }, "firstByteTimeoutMs"],
    ["a part of the response head", "HTTP/1.1 200 OK\r\nConte", { idleTimeoutMs: 20 }, "idleTimeoutMs"],
    [
      "a part of a body with a Content-Length",
      formatOkResponse("Content-Length: 9\r\n", "half"),
      { idleTimeoutMs: 20 },
      "idleTimeoutMs",
    ],
    ["no byte before callTimeoutMs", undefined, { callTimeoutMs: 20 }, "callTimeoutMs"],
  ])("a server that sends %s causes a timeout error", async (_, answer, limits, limit) => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      if (answer !== undefined) peer.send(answer);
      await peer.readLine();
    });
    const error = await getRejectedError(
      getWithSharedTestClient(createServerUrl(server), { limits }).then((resource) => resource.bytes()),
    );
    expect(error).toMatchObject({ code: "timeout", limit });
    await server.connections[0]?.closed;
  });
});

it("the client refuses a response head with bare LFs before more bytes arrive", async () => {
  await using server = await startScriptedServer(async (peer) => {
    await readRequestHead(peer);
    peer.send("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello");
    await peer.closed;
  });
  expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).toMatchObject({
    code: "protocol",
    reason: "the server ended a line of its response with a bare LF or CR",
  });
});

describe("an aborted http request closes its connection", () => {
  it.each<[string, string | undefined]>([
    ["before the first byte of the response", undefined],
    ["within the head of the response", "HTTP/1.1 200 OK\r\nConte"],
    ["within a body with a Content-Length", formatOkResponse("Content-Length: 9\r\n", "half")],
    ["within a chunked body", formatOkResponse("Transfer-Encoding: chunked\r\n", "9\r\nhalf")],
    ["within a body that ends when the connection closes", formatOkResponse("Connection: close\r\n", "half")],
  ])("an abort %s closes the connection", async (_, answer = "") => {
    const abort = new AbortController();
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(answer);
      if (!answer.endsWith("half")) abort.abort();
      await peer.readLine();
    });
    const work = getWithSharedTestClient(createServerUrl(server), { signal: abort.signal }).then(
      async (resource) => {
        const reader = resource.body.getReader();
        await reader.read();
        abort.abort();
        return reader.read();
      },
    );
    expect(await getRejectedError(work)).toMatchObject({ code: "aborted" });
    await server.connections[0]?.closed;
  });

  it("an abort during the DNS lookup or the connection sends no request", async () => {
    const abort = new AbortController();
    const resolver = (): Promise<string[]> => {
      abort.abort();
      return new Promise(() => undefined);
    };
    const lookingUp = createClient({ schemes: [http()], policy: anyAddress(), resolver });
    expect(
      await getRejectedError(lookingUp.dereference("http://host.example/", { signal: abort.signal })),
    ).toMatchObject({
      code: "aborted",
    });
    await using tripwire = await startForbiddenServer();
    const soon = new AbortController();
    const trace = ({ action }: { action: string }): void => {
      if (action === "connect") soon.abort();
    };
    const failure = await getRejectedError(
      getWithSharedTestClient(createServerUrl(tripwire), { signal: soon.signal, trace }),
    );
    expect(failure).toMatchObject({ code: "aborted" });
    expect(tripwire.connections[0]?.received ?? Buffer.alloc(0)).toHaveLength(0);
  });
});
