import { startScriptedServer } from "@anyscheme/core/testing";
import { startHttpFileTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  testClient,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";

const FILE_TEXT = "0123456789";

describe("the client requests ranges of http content", () => {
  it.each([
    [{ start: 0 }, "0123456789", "bytes=0-"],
    [{ start: 4 }, "456789", "bytes=4-"],
    [{ start: 0, endExclusive: 1 }, "0", "bytes=0-0"],
    [{ start: 3, endExclusive: 7 }, "3456", "bytes=3-6"],
    [{ start: 9, endExclusive: 100 }, "9", "bytes=9-99"],
  ])("a request for the range %j of a file returns %j", async (range, text, field) => {
    await using server = await startHttpFileTestServer({ files: { "f.txt": FILE_TEXT } });
    const resource = await getWithSharedTestClient(createServerUrl(server, "/f.txt"), { range });
    expect([resource.size, resource.totalSize]).toEqual([text.length, 10]);
    expect(resource.httpResponse.status).toBe(206);
    expect(await resource.text()).toBe(text);
    expect(await resource.completeness).toBe("verified");
    expect(server.receivedLines).toContain(`range: ${field}`);
    expect(server.receivedLines).toContain("accept-encoding: identity");
  });

  it.each([
    [{ start: 0 }, "0123456789"],
    [{ start: 4 }, "456789"],
    [{ start: 3, endExclusive: 7 }, "3456"],
    [{ start: 9, endExclusive: 100 }, "9"],
  ])(
    "the client extracts the range %j when the server ignores Range and sends the whole content",
    async (range, text) => {
      for (const fields of ["Content-Length: 10\r\n", ""]) {
        await using server = await startScriptedServer(
          createSingleResponseScript(`HTTP/1.1 200 OK\r\n${fields}\r\n${FILE_TEXT}`),
        );
        const resource = await getWithSharedTestClient(createServerUrl(server), { range });
        const sizes = fields === "" ? [undefined, undefined] : [text.length, 10];
        expect([resource.size, resource.totalSize]).toEqual(sizes);
        expect(await resource.text()).toBe(text);
      }
    },
  );

  it("the client closes the connection after the last byte of a range of the whole content", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789");
      await peer.closed;
    });
    expect(
      await (
        await getWithSharedTestClient(createServerUrl(server), { range: { start: 2, endExclusive: 5 } })
      ).text(),
    ).toBe("234");
    await server.connections[0]?.closed;
  });

  /** The responses of servers with and without support for ranges, with the length of the content. */
  const SERVERS: [name: string, reply: string, length: number][] = [
    [
      "416 with the length",
      "HTTP/1.1 416 No\r\nContent-Range: bytes */10\r\nContent-Length: 5\r\n\r\nsorry",
      10,
    ],
    ["200 with a length", `HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${FILE_TEXT}`, 10],
    [
      "200 in chunks",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n${FILE_TEXT}\r\n0\r\n\r\n`,
      10,
    ],
    ["200 up to the close", `HTTP/1.1 200 OK\r\n\r\n${FILE_TEXT}`, 10],
    [
      "416 of an empty content",
      "HTTP/1.1 416 No\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n",
      0,
    ],
    ["200 of an empty content", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0],
    ["204", "HTTP/1.1 204 No Content\r\n\r\n", 0],
  ];

  it.each(SERVERS)(
    "a range that begins at the end of the content is empty for a server that responds with %s",
    async (_, reply, length) => {
      for (const end of [undefined, length + 1, length + 100]) {
        await using server = await startScriptedServer(createSingleResponseScript(reply));
        const resource = await getWithSharedTestClient(createServerUrl(server), {
          range: { start: length, endExclusive: end },
        });
        expect([undefined, 0]).toContain(resource.size);
        expect(await resource.bytes()).toHaveLength(0);
        expect(await resource.completeness).not.toBe("truncated");
      }
    },
  );

  it.each(SERVERS)(
    "a range that begins after the end throws out-of-range for a server that responds with %s",
    async (_, reply, length) => {
      for (const start of [length + 1, length + 1_000]) {
        await using server = await startScriptedServer(createSingleResponseScript(reply));
        const reading = getWithSharedTestClient(createServerUrl(server), { range: { start } }).then(
          (resource) => resource.bytes(),
        );
        expect(await getRejectedError(reading)).toMatchObject({
          code: "out-of-range",
          reason: `the range begins at ${start}, but the content has ${length} bytes`,
          totalSize: length,
        });
      }
    },
  );

  it.each<[string, string, start: number, code: string | undefined]>([
    ["no length in Content-Range", "", 5, "out-of-range"],
    ["no length, for a range that begins at byte 0,", "", 0, undefined],
    ["an invalid length in Content-Range", "Content-Range: bytes */x\r\n", 5, "out-of-range"],
    [
      "a content length above the start of the requested range",
      "Content-Range: bytes */10\r\n",
      5,
      "protocol",
    ],
  ])("a 416 response with %s is checked against the requested range", async (_, fields, start, code) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(`HTTP/1.1 416 Range Not Satisfiable\r\n${fields}Content-Length: 0\r\n\r\n`),
    );
    const reading = getWithSharedTestClient(createServerUrl(server), { range: { start } }).then((resource) =>
      resource.bytes(),
    );
    if (code === undefined) expect(await reading).toHaveLength(0);
    else expect(await getRejectedError(reading)).toMatchObject({ code });
  });

  it("a range that begins at the end of a long content is empty without waiting for that content", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789");
      await peer.closed;
    });
    expect(
      await (await getWithSharedTestClient(createServerUrl(server), { range: { start: 1_000 } })).bytes(),
    ).toHaveLength(0);
    await server.connections[0]?.closed;
  });

  it("with a server that supports ranges, a range at the end is empty, and a later range fails with out-of-range", async () => {
    await using server = await startHttpFileTestServer({ files: { "f.txt": FILE_TEXT } });
    const read = async (start: number): Promise<Uint8Array> =>
      (await getWithSharedTestClient(createServerUrl(server, "/f.txt"), { range: { start } })).bytes();
    expect(await read(10)).toHaveLength(0);
    expect(await getRejectedError(read(11))).toMatchObject({ code: "out-of-range" });
  });

  it.each([
    ["another part", "Content-Range: bytes 1-3/10\r\nContent-Length: 3\r\n", "protocol"],
    ["more bytes than requested", "Content-Range: bytes 0-3/10\r\nContent-Length: 4\r\n", "protocol"],
    [
      "a Content-Range beyond the length of the content",
      "Content-Range: bytes 0-2/2\r\nContent-Length: 3\r\n",
      "protocol",
    ],
    [
      "a Content-Range whose end precedes its start",
      "Content-Range: bytes 0--1/10\r\nContent-Length: 0\r\n",
      "protocol",
    ],
    ["no Content-Range", "Content-Length: 3\r\n", "protocol"],
    [
      "two Content-Range headers",
      "Content-Range: bytes 0-2/10\r\nContent-Range: bytes 0-1/10\r\n",
      "protocol",
    ],
    ["several parts", "Content-Type: multipart/byteranges; boundary=x\r\n", "protocol"],
    [
      "a Content-Length that differs from the Content-Range",
      "Content-Range: bytes 0-2/10\r\nContent-Length: 2\r\n",
      "protocol",
    ],
    ["other units", "Content-Range: lines 0-2/10\r\nContent-Length: 3\r\n", "protocol"],
    [
      "an encoded part",
      "Content-Range: bytes 0-2/10\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n",
      "unsupported",
    ],
  ])("a 206 response with %s throws %s", async (_, fields, code) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(`HTTP/1.1 206 Partial Content\r\n${fields}\r\n${FILE_TEXT}`),
    );
    expect(
      await getRejectedError(
        getWithSharedTestClient(createServerUrl(server), { range: { start: 0, endExclusive: 3 } }),
      ),
    ).toMatchObject({ code });
  });

  it.each<[string, end: number | undefined, fields: string, body: string, result: string]>([
    [
      "a part that ends before the requested range",
      4,
      "bytes 0-1/10",
      "2\r\n01\r\n0\r\n\r\n",
      "01 of 4 bytes",
    ],
    [
      "a part that ends before the content",
      undefined,
      "bytes 0-1/10",
      "2\r\n01\r\n0\r\n\r\n",
      "01 of 10 bytes",
    ],
    [
      "a body that is shorter than its Content-Range",
      4,
      "bytes 0-3/10",
      "2\r\n01\r\n0\r\n\r\n",
      "01 of 4 bytes",
    ],
    ["a body that is longer than its Content-Range", 4, "bytes 0-3/10", "5\r\n01234\r\n0\r\n\r\n", "0123"],
    ["a part of a content of unknown length", 4, "bytes 0-1/*", "2\r\n01\r\n0\r\n\r\n", "01"],
    ["a part that ends with the content", 40, "bytes 0-1/2", "2\r\n01\r\n0\r\n\r\n", "01"],
  ])("the client reads %s or throws incomplete", async (_, endExclusive, contentRange, body, result) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(
        `HTTP/1.1 206 Partial Content\r\nContent-Range: ${contentRange}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
      ),
    );
    const resource = await getWithSharedTestClient(createServerUrl(server), {
      range: { start: 0, endExclusive },
    });
    let text = "";
    try {
      for await (const bytes of resource) text += Buffer.from(bytes).toString();
    } catch (error) {
      expect(error).toMatchObject({ code: "incomplete" });
      text += ` of ${resource.size} bytes`;
    }
    expect(text).toBe(result);
  });

  it.each([
    ["Content-Range: bytes 1-3/10\r\n", "another part"],
    ["Content-Type: multipart/byteranges; boundary=x\r\n", "several parts"],
    ["Content-Type: text/plain\r\n", "a part without a valid Content-Range"],
  ])("the error of a 206 response with the headers %j states the reason", async (fields, sent) => {
    const what = (end: string): string => `bytes 0 to ${end} were requested, but the server sent ${sent}`;
    await using server = await startScriptedServer(
      createSingleResponseScript(
        `HTTP/1.1 206 Partial Content\r\n${fields}Content-Length: 3\r\n\r\n${FILE_TEXT}`,
      ),
    );
    expect(
      await getRejectedError(
        getWithSharedTestClient(createServerUrl(server), { range: { start: 0, endExclusive: 3 } }),
      ),
    ).toMatchObject({
      reason: what("2"),
    });
    expect(
      await getRejectedError(getWithSharedTestClient(createServerUrl(server), { range: { start: 0 } })),
    ).toMatchObject({
      reason: what("the end"),
    });
  });

  it.each([
    { start: -1 },
    { start: 0.5 },
    { start: 3, endExclusive: 3 },
    { start: 3, endExclusive: 2 },
    { start: NaN },
  ])("the client rejects the invalid range %j", async (range) => {
    await expect(testClient.dereference("http://h.example/", { range })).rejects.toThrow();
  });
});
