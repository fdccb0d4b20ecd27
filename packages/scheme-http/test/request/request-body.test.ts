import { getPlannedBytes, startScriptedServer } from "@anyscheme/core/testing";
import type { HttpRequestBody } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  testClient,
  createServerUrl,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";
import {
  createByteStreamFromTexts,
  readRawRequestBody,
  getReceivedHeadAndBody,
  startBodyReadingServer,
} from "./body-reading-server.ts";

async function* generateChunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const FORM_MEDIA_TYPE = "application/x-www-form-urlencoded;charset=UTF-8";

type BodyCase = readonly [
  name: string,
  create: () => HttpRequestBody,
  framing: string,
  mediaType: string | undefined,
  sent: string,
];

const BODY_CASES: readonly BodyCase[] = [
  ["a string", () => "gr\u00fcn", "5 bytes", "text/plain;charset=UTF-8", "gr\xc3\xbcn"],
  ["an empty string", () => "", "0 bytes", "text/plain;charset=UTF-8", ""],
  ["a byte array", () => new Uint8Array([65, 0, 255]), "3 bytes", undefined, "A\0\xff"],
  [
    "a view of a part of a buffer",
    () => new Uint8Array([1, 65, 66, 2]).subarray(1, 3),
    "2 bytes",
    undefined,
    "AB",
  ],
  ["a DataView", () => new DataView(new Uint8Array([65, 66]).buffer), "2 bytes", undefined, "AB"],
  ["an ArrayBuffer", () => new Uint8Array([65, 66]).buffer, "2 bytes", undefined, "AB"],
  [
    "a Blob with a type",
    () => new Blob(["{}"], { type: "application/json" }),
    "2 bytes",
    "application/json",
    "{}",
  ],
  ["a Blob without a type", () => new Blob(["{}"]), "2 bytes", undefined, "{}"],
  [
    "search parameters",
    () => new URLSearchParams({ a: "1 2", b: "&" }),
    "11 bytes",
    FORM_MEDIA_TYPE,
    "a=1+2&b=%26",
  ],
  [
    "a stream",
    () => createByteStreamFromTexts("hel", "", "lo"),
    "chunked",
    undefined,
    "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
  ],
  ["an async iterable", () => generateChunks("hello"), "chunked", undefined, "5\r\nhello\r\n0\r\n\r\n"],
  ["an array of byte arrays", () => [Buffer.from("hi")], "chunked", undefined, "2\r\nhi\r\n0\r\n\r\n"],
];

describe("a request with a body", () => {
  it.each(BODY_CASES)(
    "the client sends %s with its framing and media type, as planned",
    async (_, create, ...expected) => {
      const [framing, mediaType, sent] = expected;
      await using server = await startBodyReadingServer();
      const resource = await getWithSharedTestClient(createServerUrl(server, "/f"), {
        method: "POST",
        body: create(),
      });
      await resource.bytes();
      const { head, body } = getReceivedHeadAndBody(server);
      expect(head).toBe(getPlannedBytes(resource.plan).toString("latin1"));
      expect(head).toMatch(/^POST \/f HTTP\/1\.1\r\n/);
      expect(head).toContain(
        framing === "chunked"
          ? "\r\ntransfer-encoding: chunked\r\n"
          : `\r\ncontent-length: ${parseInt(framing, 10)}\r\n`,
      );
      expect(/\r\ncontent-type: (.*)\r\n/.exec(head)?.[1]).toBe(mediaType);
      expect(head).not.toContain("expect");
      expect(body).toBe(sent);
      expect(resource.plan.steps.map(({ description }) => description)).toContain(
        `the client sends the body of the request: ${framing}`,
      );
    },
  );

  it("the client sends a form as multipart/form-data with the planned boundary", async () => {
    const form = new FormData();
    form.append('a"b\n', "one\ntwo");
    form.append("file", new File(["bytes"], "n\r\u00e4me.txt", { type: "text/x" }));
    form.append("file", new Blob(["more"]), "x");
    await using server = await startBodyReadingServer();
    const resource = await getWithSharedTestClient(createServerUrl(server), { method: "POST", body: form });
    const { head, body } = getReceivedHeadAndBody(server);
    expect(head).toBe(getPlannedBytes(resource.plan).toString("latin1"));
    const type = /\r\ncontent-type: (.*)\r\n/.exec(head)?.[1] ?? "";
    const received = await new Response(Buffer.from(body, "latin1"), {
      headers: { "content-type": type },
    }).formData();
    expect(received.get('a"b\r\n')).toBe("one\r\ntwo");
    const [first, second] = received.getAll("file") as File[];
    expect([first?.name, first?.type, await first?.text()]).toEqual(["n\r\u00e4me.txt", "text/x", "bytes"]);
    expect([second?.name, second?.type, await second?.text()]).toEqual([
      "x",
      "application/octet-stream",
      "more",
    ]);
  });

  it("the client sends the bytes that an array had at the time of the call", async () => {
    await using server = await startBodyReadingServer();
    const bytes = Buffer.from("before");
    const sent = getWithSharedTestClient(createServerUrl(server), { method: "POST", body: bytes });
    bytes.fill("x");
    await sent;
    expect(getReceivedHeadAndBody(server).body).toBe("before");
  });

  it("the client sends the content type of the caller instead of the default", async () => {
    await using server = await startBodyReadingServer();
    const headers = { "Content-Type": "application/json" };
    await getWithSharedTestClient(createServerUrl(server), { method: "POST", body: "{}", headers });
    expect(getReceivedHeadAndBody(server).head.match(/content-type: .*/g)).toEqual([
      "content-type: application/json",
    ]);
  });

  it.each([
    ["POST", "content-length: 0"],
    ["put", "content-length: 0"],
    ["PATCH", "content-length: 0"],
    ["OPTIONS", undefined],
    ["delete", undefined],
    ["patch", undefined],
    ["PROPFIND", "content-length: 0"],
  ])("the method %s without a body is sent with the framing %s", async (method, framing) => {
    await using server = await startBodyReadingServer();
    await getWithSharedTestClient(createServerUrl(server), { method });
    const { head } = getReceivedHeadAndBody(server);
    const written = ["put", "delete"].includes(method) ? method.toUpperCase() : method;
    expect(head.split(" ")[0]).toBe(written);
    expect(/content-length: .*|transfer-encoding: .*/.exec(head)?.[0]).toBe(framing);
  });

  it("the method HEAD returns an empty content with the headers of the server", async () => {
    await using server = await startBodyReadingServer(
      () => "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n",
    );
    const resource = await getWithSharedTestClient(createServerUrl(server), { method: "HEAD" });
    expect(resource.httpResponse.headers["content-length"]).toEqual(["5"]);
    expect(await resource.bytes()).toHaveLength(0);
  });

  it.each([
    [{ method: "GET", body: "x" }, "a request with the method GET cannot have a body"],
    [{ method: "head", body: "x" }, "a request with the method HEAD cannot have a body"],
    [{ body: "x" }, "a request with the method GET cannot have a body"],
    [
      { method: "POST", range: { start: 1 } },
      "the options range and resume need the method GET, and not POST",
    ],
    [{ method: "POST", resume: {} }, "the options range and resume need the method GET, and not POST"],
  ])("the client refuses the options %j", async (options, reason) => {
    expect(await getRejectedError(getWithSharedTestClient("http://127.0.0.1/", options))).toMatchObject({
      code: "unsupported",
      reason,
    });
  });

  it.each(["CONNECT", "trace", "Track", "A B", "", "A\r\nB"])("the method %j is refused", async (method) => {
    expect(await getRejectedError(getWithSharedTestClient("http://127.0.0.1/", { method }))).toBeInstanceOf(
      TypeError,
    );
  });

  it.each(["stat", "delete"] as const)("client.%s refuses method, client.put refuses body", async (name) => {
    expect(await getRejectedError(testClient[name]("http://127.0.0.1/", { method: "POST" }))).toMatchObject({
      code: "unsupported",
      reason: "the option method applies only to dereference and fetch",
    });
    expect(await getRejectedError(testClient.put("http://127.0.0.1/", "x", { body: "y" }))).toMatchObject({
      code: "unsupported",
    });
  });
});

describe("a POST reuses a connection, and is sent only once", () => {
  it("a POST uses a connection that has served two requests", async () => {
    await using server = await startBodyReadingServer();
    const url = createServerUrl(server);
    await (await getWithSharedTestClient(url)).bytes();
    await (await getWithSharedTestClient(url)).bytes();
    await (await getWithSharedTestClient(url, { method: "POST", body: "x" })).bytes();
    await (await getWithSharedTestClient(url)).bytes();
    expect(server.connections).toHaveLength(1);
  });

  it("a POST is sent once when the connection is lost", async () => {
    await using server = await startScriptedServer(async (peer) => {
      const head = await readRequestHead(peer);
      await readRawRequestBody(peer, head);
    });
    const options = { method: "POST", body: "x" };
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server), options))).toMatchObject({
      code: "incomplete",
    });
    expect(server.connections).toHaveLength(1);
  });
});
