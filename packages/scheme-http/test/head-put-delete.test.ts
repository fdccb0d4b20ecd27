import { type LoopbackServer, getPlannedBytes, startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  testClient,
  getRejectedError,
  readRequestHead,
} from "./test-client.ts";

const createEmptyResponse = (status: string, fields = ""): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: 0\r\n\r\n`;

describe("client.stat sends HEAD to an http URL", () => {
  it("stat sends HEAD, returns the headers and reads no body", async () => {
    const fields =
      "Content-Type: text/plain\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 1000000\r\n";
    await using server = await startScriptedServer(async (peer) => {
      for (let [line] = await readRequestHead(peer); line; [line] = await readRequestHead(peer))
        peer.send(`HTTP/1.1 200 OK\r\n${fields}\r\n`);
    });
    const url = createServerUrl(server, "/f");
    for (let count = 0; count < 2; count++) {
      expect(await testClient.stat(url)).toMatchObject({
        kind: "content",
        size: 1_000_000,
        mediaType: "text/plain",
        modified: new Date(Date.UTC(1994, 10, 6, 8, 49, 37)),
        httpResponse: { status: 200 },
        redirectChain: [],
      });
    }
    expect(server.connections).toHaveLength(1);
    const sent = getPlannedBytes(testClient.plan(url, { operation: "stat" }));
    expect(sent.toString()).toMatch(/^HEAD \/f HTTP\/1\.1\r\n/);
    expect(server.connections[0]?.received).toEqual(Buffer.concat([sent, sent]));
  });

  it.each([
    ["gzip", undefined],
    ["identity", 5],
    ["none", 5],
  ])("stat of a body with the content coding %s returns the size %s", async (coding, size) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(
        `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: 5\r\n\r\n`,
      ),
    );
    expect((await testClient.stat(createServerUrl(server))).size).toBe(size);
  });

  it("stat follows redirects with HEAD, and throws not-found for status 404", async () => {
    await using server = await startScriptedServer(async (peer) => {
      const [line = ""] = await readRequestHead(peer);
      if (line.includes("/start")) peer.send(createEmptyResponse("301 Moved", "Location: /gone\r\n"));
      else peer.send("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n");
    });
    expect(await getRejectedError(testClient.stat(createServerUrl(server, "/start")))).toMatchObject({
      code: "not-found",
    });
    expect(server.connections.at(-1)?.received.toString()).toMatch(/HEAD \/gone HTTP/);
  });
});

describe("client.delete sends DELETE to an http URL", () => {
  it.each(["200 OK", "202 Accepted", "204 No Content", "303 See Other"])(
    "client.delete succeeds if the server responds with the status %s",
    async (status) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(createEmptyResponse(status, "Location: /elsewhere\r\n")),
      );
      expect(await testClient.delete(createServerUrl(server, "/f"))).toMatchObject({
        redirectChain: [],
        response: { status: Number(status.slice(0, 3)) },
      });
      expect(server.connections[0]?.received.toString()).toMatch(/^DELETE \/f HTTP/);
    },
  );

  it.each([
    ["403 Forbidden", "permission-denied"],
    ["404 Not Found", "not-found"],
    ["405 Method Not Allowed", "unsupported"],
  ])("the response status %s makes client.delete throw the error %s", async (status, code) => {
    await using server = await startScriptedServer(createSingleResponseScript(createEmptyResponse(status)));
    expect(await getRejectedError(testClient.delete(createServerUrl(server)))).toMatchObject({ code });
  });

  it("delete does not follow a redirect to another origin", async () => {
    await using victim = await startScriptedServer(
      createSingleResponseScript(createEmptyResponse("204 No Content")),
    );
    await using server = await startScriptedServer(
      createSingleResponseScript(
        createEmptyResponse("308 Moved", `Location: ${createServerUrl(victim)}\r\n`),
      ),
    );
    expect(await getRejectedError(testClient.delete(createServerUrl(server)))).toMatchObject({
      code: "refused-redirect",
    });
    expect(victim.connections).toHaveLength(0);
  });
});

/** Starts a server that stores the bodies of PUT requests. */
function startStoringServer(
  options: { before?: (connection: number, path: string) => string | undefined; after?: string } = {},
): Promise<LoopbackServer & { readonly stored: string[] }> {
  const stored: string[] = [];
  const script = startScriptedServer(async (peer, connection) => {
    const lines = await readRequestHead(peer);
    const early = options.before?.(connection, lines[0]?.split(" ")[1] ?? "");
    if (early !== undefined) return peer.send(early);
    if (lines.includes("expect: 100-continue")) peer.send("HTTP/1.1 100 Continue\r\n\r\n");
    const length = lines.find((line) => line.startsWith("content-length: "))?.slice(16);
    if (length !== undefined) stored.push((await peer.readBytes(Number(length))).toString());
    else {
      let content = "";
      for (
        let size = parseInt((await peer.readLine()) ?? "0", 16);
        size > 0;
        size = parseInt((await peer.readLine()) ?? "0", 16)
      ) {
        content += (await peer.readBytes(size)).toString();
        await peer.readLine();
      }
      await peer.readLine();
      stored.push(content);
    }
    peer.send(options.after ?? createEmptyResponse("201 Created"));
  });
  return script.then((server) => Object.assign(server, { stored }));
}

async function* generateChunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("client.put sends PUT to an http URL", () => {
  it("put sends a body of known size after 100 Continue", async () => {
    await using server = await startStoringServer();
    const url = createServerUrl(server, "/f");
    const put = await testClient.put(url, "hello", { mediaType: "text/plain" });
    expect(put).toMatchObject({ bytesWritten: 5, response: { status: 201 } });
    expect(server.stored).toEqual(["hello"]);
    const planned = testClient
      .plan(url, { operation: "put", mediaType: "text/plain", size: 5 } as object)
      .steps.find(({ bytes }) => bytes);
    expect(server.connections[0]?.received.toString()).toBe(
      `${Buffer.from(planned?.bytes ?? []).toString()}hello`,
    );
    expect(server.connections[0]?.received.toString()).toContain(
      "\r\ncontent-type: text/plain\r\ncontent-length: 5\r\nexpect: 100-continue\r\n",
    );
  });

  it("put sends a body of unknown size in chunks", async () => {
    await using server = await startStoringServer();
    expect(await testClient.put(createServerUrl(server), generateChunks("hel", "", "lo"))).toMatchObject({
      bytesWritten: 5,
    });
    expect(server.stored).toEqual(["hello"]);
    const large = Array.from({ length: 40 }, (_, index) => String(index).repeat(30_000));
    await testClient.put(createServerUrl(server), generateChunks(...large));
    expect(server.stored[1] === large.join("")).toBe(true);
  });

  it("put sends an empty body without an Expect header", async () => {
    await using server = await startStoringServer();
    expect(await testClient.put(createServerUrl(server), "")).toMatchObject({ bytesWritten: 0 });
    expect(server.connections[0]?.received.toString()).not.toContain("expect");
  });

  it("put sends the body after a timeout when the server sends no 100 Continue", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      await peer.readBytes(5);
      peer.send(createEmptyResponse("204 No Content"));
    });
    expect(await testClient.put(createServerUrl(server), "hello")).toMatchObject({ bytesWritten: 5 });
  });

  it.each([
    ["403 Forbidden", "permission-denied"],
    ["413 Content Too Large", "permission-denied"],
    ["507 Full", "unavailable"],
  ])("put sends no body when the server responds with %s first", async (status, code) => {
    await using server = await startStoringServer({ before: () => createEmptyResponse(status) });
    let read = false;
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      read = true;
      yield Buffer.from("secret");
    })();
    expect(await getRejectedError(testClient.put(createServerUrl(server), body))).toMatchObject({ code });
    expect(read).toBe(false);
    await server.connections[0]?.closed;
    expect(server.connections[0]?.received.toString()).not.toContain("secret");
  });

  it.each(["", "Connection: close\r\n"])(
    "put repeats the request without Expect after status 417 with the header %j",
    async (header) => {
      await using server = await startScriptedServer(async (peer) => {
        const lines = await readRequestHead(peer);
        if (lines.includes("expect: 100-continue")) {
          peer.send(`HTTP/1.1 417 Expectation Failed\r\n${header}Content-Length: 0\r\n\r\n`);
          if (header === "") await readRequestHead(peer);
          else return;
        }
        expect((await peer.readBytes(5)).toString()).toBe("hello");
        peer.send(createEmptyResponse("204 No Content"));
      });
      expect(await testClient.put(createServerUrl(server), "hello")).toMatchObject({ bytesWritten: 5 });
      const sent = server.connections.map(({ received }) => received.toString()).join("");
      expect(sent.match(/^PUT /gm)).toHaveLength(2);
      expect(sent.match(/^expect: /gm)).toHaveLength(1);
    },
  );

  it("put returns 0 bytes written when the server responds before the body", async () => {
    await using server = await startStoringServer({ before: () => createEmptyResponse("204 No Content") });
    expect(await testClient.put(createServerUrl(server), "hello")).toMatchObject({
      bytesWritten: 0,
      response: { status: 204 },
    });
  });

  it("put stops when the server responds during the body, and the connection is not reused", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      if (connection > 0) return peer.send(createEmptyResponse("200 OK"));
      peer.send("HTTP/1.1 100 Continue\r\n\r\n");
      await peer.readBytes(10);
      peer.send(createEmptyResponse("413 Too Large"));
      await peer.closed;
    });
    const endless = (async function* (): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(1000);
    })();
    expect(await getRejectedError(testClient.put(createServerUrl(server), endless))).toMatchObject({
      code: "permission-denied",
    });
    await testClient.delete(createServerUrl(server));
    expect(server.connections).toHaveLength(2);
  });

  it("put sends the body only to the new URL when the server redirects before it reads the body", async () => {
    await using server = await startStoringServer({
      before: (_, path) =>
        path === "/old" ? createEmptyResponse("307 Moved", "Location: /new\r\n") : undefined,
    });
    const put = await testClient.put(createServerUrl(server, "/old"), generateChunks("hello"));
    expect(put.redirectChain).toHaveLength(1);
    expect(server.stored).toEqual(["hello"]);
  });

  it("put does not send the body to another origin after a redirect", async () => {
    await using victim = await startStoringServer();
    await using server = await startStoringServer({
      before: () => createEmptyResponse("307 Moved", `Location: ${createServerUrl(victim)}\r\n`),
    });
    expect(await getRejectedError(testClient.put(createServerUrl(server), "hello"))).toMatchObject({
      code: "refused-redirect",
    });
    expect(victim.connections).toHaveLength(0);
  });

  it("put sends the body only with the request that has credentials", async () => {
    const challenge = 'WWW-Authenticate: Basic realm="r"\r\n';
    await using server = await startStoringServer({
      before: (connection) => (connection === 0 ? createEmptyResponse("401 No", challenge) : undefined),
    });
    const credentials = (): { user: string; password: string } => ({ user: "bob", password: "n33dle" });
    expect(
      await testClient.put(createServerUrl(server), generateChunks("hello"), { credentials }),
    ).toMatchObject({
      bytesWritten: 5,
    });
    expect(server.stored).toEqual(["hello"]);
  });

  it("put cannot send a body a second time for a login or a redirect", async () => {
    await using server = await startStoringServer({
      after: createEmptyResponse("401 No", 'WWW-Authenticate: Basic realm="r"\r\n'),
    });
    const credentials = (): { user: string; password: string } => ({ user: "bob", password: "n33dle" });
    expect(
      await getRejectedError(
        testClient.put(createServerUrl(server), generateChunks("hello"), { credentials }),
      ),
    ).toMatchObject({
      code: "authentication-required",
    });
    await using moving = await startStoringServer({
      after: createEmptyResponse("307 Moved", "Location: /x\r\n"),
    });
    expect(
      await getRejectedError(testClient.put(createServerUrl(moving), generateChunks("hello"))),
    ).toMatchObject({
      code: "refused-redirect",
    });
  });

  it.each([
    [
      "a body shorter than its declared size",
      9,
      "hello",
      "ended after 5 bytes, but the caller stated a size of 9 bytes",
    ],
    [
      "a body longer than its declared size",
      3,
      "hello",
      "is longer, but the caller stated a size of 3 bytes",
    ],
  ])("put of %s throws incomplete", async (_, size, text, reason) => {
    await using server = await startStoringServer();
    expect(
      await getRejectedError(testClient.put(createServerUrl(server), generateChunks(text), { size })),
    ).toMatchObject({
      code: "incomplete",
      reason: `the body of the upload ${reason}`,
    });
    await server.connections[0]?.closed;
  });

  it("put throws plugin when reading the body throws", async () => {
    await using server = await startStoringServer();
    const failing = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("half");
      throw new Error("disk on fire");
    })();
    const failure = await getRejectedError(testClient.put(createServerUrl(server), failing));
    expect(failure).toMatchObject({ code: "plugin", cause: { message: "disk on fire" } });
    await server.connections[0]?.closed;
  });

  it.each([{ offset: 5 }, { offset: "end" as const }, { atomic: true }])(
    "client.put with the options %j throws unsupported",
    async (options) => {
      expect(await getRejectedError(testClient.put("http://127.0.0.1/", "x", options))).toMatchObject({
        code: "unsupported",
      });
    },
  );

  it("put refuses a media type that contains a line end", async () => {
    const failure = getRejectedError(
      testClient.put("http://127.0.0.1/", "x", { mediaType: "text/plain\r\nx: y" }),
    );
    expect(await failure).toMatchObject({ code: "refused-characters" });
  });
});
