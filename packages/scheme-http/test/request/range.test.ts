import { startScriptedServer, type LoopbackServer } from "@anyscheme/core/testing";
import { startSmallHttp } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { answering, at, client, failureOf, get, head } from "../client.ts";

const TEXT = "0123456789";

describe("a range", () => {
  it.each([
    [{ start: 0 }, "0123456789", "bytes=0-"],
    [{ start: 4 }, "456789", "bytes=4-"],
    [{ start: 0, end: 1 }, "0", "bytes=0-0"],
    [{ start: 3, end: 7 }, "3456", "bytes=3-6"],
    [{ start: 9, end: 100 }, "9", "bytes=9-99"],
  ])("%j is %s", async (range, text, field) => {
    await using server = await startSmallHttp({ files: { "f.txt": TEXT } });
    const resource = await get(at(server, "/f.txt"), { range });
    expect(resource.size).toBe(text.length);
    expect(resource.http.status).toBe(206);
    expect(await resource.text()).toBe(text);
    expect(await resource.completeness).toBe("verified");
    expect(server.transcript).toContain(`range: ${field}`);
    expect(server.transcript).toContain("accept-encoding: identity");
  });

  it.each([
    [{ start: 0 }, "0123456789"],
    [{ start: 4 }, "456789"],
    [{ start: 3, end: 7 }, "3456"],
    [{ start: 9, end: 100 }, "9"],
  ])("%j is extracted when the server sends the whole content", async (range, text) => {
    for (const fields of ["Content-Length: 10\r\n", ""]) {
      await using server = await startScriptedServer(answering(`HTTP/1.1 200 OK\r\n${fields}\r\n${TEXT}`));
      const resource = await get(at(server), { range });
      expect(resource.size).toBe(fields === "" ? undefined : text.length);
      expect(await resource.text()).toBe(text);
    }
  });

  it("ends without the rest of the content", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789");
      await peer.closed;
    });
    expect(await (await get(at(server), { range: { start: 2, end: 5 } })).text()).toBe("234");
    await server.connections[0]?.closed;
  });

  /** Servers that know ranges, and such that do not. */
  const SERVERS: [name: string, reply: string, length: number][] = [
    [
      "416 with the length",
      "HTTP/1.1 416 No\r\nContent-Range: bytes */10\r\nContent-Length: 5\r\n\r\nsorry",
      10,
    ],
    ["200 with a length", `HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${TEXT}`, 10],
    ["200 in chunks", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n${TEXT}\r\n0\r\n\r\n`, 10],
    ["200 up to the close", `HTTP/1.1 200 OK\r\n\r\n${TEXT}`, 10],
    [
      "416 of an empty content",
      "HTTP/1.1 416 No\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n",
      0,
    ],
    ["200 of an empty content", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0],
    ["204", "HTTP/1.1 204 No Content\r\n\r\n", 0],
  ];

  it.each(SERVERS)("at the end of the content is empty: %s", async (_, reply, length) => {
    for (const end of [undefined, length + 1, length + 100]) {
      await using server = await startScriptedServer(answering(reply));
      const resource = await get(at(server), { range: { start: length, end } });
      expect([undefined, 0]).toContain(resource.size);
      expect(await resource.bytes()).toHaveLength(0);
      expect(await resource.completeness).not.toBe("truncated");
    }
  });

  it.each(SERVERS)("after the end of the content is out of range: %s", async (_, reply, length) => {
    for (const start of [length + 1, length + 1_000]) {
      await using server = await startScriptedServer(answering(reply));
      const reading = get(at(server), { range: { start } }).then((resource) => resource.bytes());
      expect(await failureOf(reading)).toMatchObject({
        code: "out-of-range",
        reason: `the range begins at ${start}, but the content has ${length} bytes`,
      });
    }
  });

  it.each<[string, string, start: number, code: string | undefined]>([
    ["no length", "", 5, "out-of-range"],
    ["no length, of the whole content", "", 0, undefined],
    ["a length that is none", "Content-Range: bytes */x\r\n", 5, "out-of-range"],
    ["a length that the range begins before", "Content-Range: bytes */10\r\n", 5, "protocol"],
  ])("refused with 416 and %s", async (_, fields, start, code) => {
    await using server = await startScriptedServer(
      answering(`HTTP/1.1 416 Range Not Satisfiable\r\n${fields}Content-Length: 0\r\n\r\n`),
    );
    const reading = get(at(server), { range: { start } }).then((resource) => resource.bytes());
    if (code === undefined) expect(await reading).toHaveLength(0);
    else expect(await failureOf(reading)).toMatchObject({ code });
  });

  it("at the end of a long content does not wait for it", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789");
      await peer.closed;
    });
    expect(await (await get(at(server), { range: { start: 1_000 } })).bytes()).toHaveLength(0);
    await server.connections[0]?.closed;
  });

  it("is the same with a server that supports ranges", async () => {
    await using server = await startSmallHttp({ files: { "f.txt": TEXT } });
    const read = async (start: number): Promise<Uint8Array> =>
      (await get(at(server, "/f.txt"), { range: { start } })).bytes();
    expect(await read(10)).toHaveLength(0);
    expect(await failureOf(read(11))).toMatchObject({ code: "out-of-range" });
  });

  it.each([
    ["another part", "Content-Range: bytes 1-3/10\r\nContent-Length: 3\r\n", "protocol"],
    ["more than was asked for", "Content-Range: bytes 0-3/10\r\nContent-Length: 4\r\n", "protocol"],
    ["more than there is", "Content-Range: bytes 0-2/2\r\nContent-Length: 3\r\n", "protocol"],
    [
      "a part that ends before it begins",
      "Content-Range: bytes 0--1/10\r\nContent-Length: 0\r\n",
      "protocol",
    ],
    ["no word of which part", "Content-Length: 3\r\n", "protocol"],
    ["two words of which part", "Content-Range: bytes 0-2/10\r\nContent-Range: bytes 0-1/10\r\n", "protocol"],
    ["several parts", "Content-Type: multipart/byteranges; boundary=x\r\n", "protocol"],
    ["another length than its part has", "Content-Range: bytes 0-2/10\r\nContent-Length: 2\r\n", "protocol"],
    ["other units", "Content-Range: lines 0-2/10\r\nContent-Length: 3\r\n", "protocol"],
    [
      "a coded part",
      "Content-Range: bytes 0-2/10\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n",
      "unsupported",
    ],
  ])("%s is %s", async (_, fields, code) => {
    await using server = await startScriptedServer(
      answering(`HTTP/1.1 206 Partial Content\r\n${fields}\r\n${TEXT}`),
    );
    expect(await failureOf(get(at(server), { range: { start: 0, end: 3 } }))).toMatchObject({ code });
  });

  it.each([
    ["Content-Range: bytes 1-3/10\r\n", "another part"],
    ["Content-Type: multipart/byteranges; boundary=x\r\n", "several parts"],
    ["Content-Type: text/plain\r\n", "a part without a valid Content-Range"],
  ])("answered with %j: the error has the reason", async (fields, sent) => {
    const what = (end: string): string => `bytes 0 to ${end} were requested, but the server sent ${sent}`;
    await using server = await startScriptedServer(
      answering(`HTTP/1.1 206 Partial Content\r\n${fields}Content-Length: 3\r\n\r\n${TEXT}`),
    );
    expect(await failureOf(get(at(server), { range: { start: 0, end: 3 } }))).toMatchObject({
      reason: what("2"),
    });
    expect(await failureOf(get(at(server), { range: { start: 0 } }))).toMatchObject({
      reason: what("the end"),
    });
  });

  it.each([{ start: -1 }, { start: 0.5 }, { start: 3, end: 3 }, { start: 3, end: 2 }, { start: NaN }])(
    "%j is no range",
    async (range) => {
      await expect(client.dereference("http://h.example/", { range })).rejects.toThrow();
    },
  );
});

/** Sends the content in turns of so many bytes, and breaks each connection but the last; answers If-Range as servers do. */
function breaking(
  every: number,
  options: { tag?: string; tags?: string[]; fields?: string } = {},
): Promise<LoopbackServer> {
  const { tag = '"v1"', tags = [], fields = "" } = options;
  return startScriptedServer(async (peer, connection) => {
    const lines = await head(peer);
    const current = tags[connection] ?? tag;
    const asked = /^range: bytes=(\d+)-/m.exec(lines.join("\n"))?.[1];
    const same = lines.includes(`if-range: ${current}`);
    const start = asked !== undefined && same ? Number(asked) : 0;
    const status = start > 0 ? "206 Partial Content" : "200 OK";
    const range = start > 0 ? `Content-Range: bytes ${start}-9/10\r\n` : "";
    const length = `Content-Length: ${TEXT.length - start}\r\n`;
    peer.send(`HTTP/1.1 ${status}\r\nETag: ${current}\r\n${range}${length}${fields}\r\n`);
    peer.send(TEXT.slice(start, start + every));
  });
}

describe("a body whose connection is lost", () => {
  const resume = { attempts: 3, backoffMs: 1 };

  it("continues where it ended, as often as there is progress", async () => {
    await using server = await breaking(4);
    const resource = await get(at(server), { resume });
    expect(await resource.text()).toBe(TEXT);
    expect(await resource.completeness).toBe("verified");
    expect(server.connections).toHaveLength(3);
    const asked = server.connections.map(({ received }) => /range: bytes=\S+/.exec(received.toString())?.[0]);
    expect(asked).toEqual([undefined, "range: bytes=4-", "range: bytes=8-"]);
    expect(server.connections[1]?.received.toString()).toContain('\r\nif-range: "v1"\r\n');
  });

  it("is incomplete without the option resume", async () => {
    await using server = await breaking(4);
    expect(await failureOf((await get(at(server))).text())).toMatchObject({ code: "incomplete" });
    expect(server.connections).toHaveLength(1);
  });

  it("is not combined from two versions", async () => {
    await using server = await breaking(4, { tags: ['"v1"', '"v2"'] });
    const resource = await get(at(server), { resume });
    expect(await failureOf(resource.text())).toMatchObject({
      code: "incomplete",
      reason: expect.stringContaining("has changed") as string,
    });
  });

  it.each([
    ["a weak tag", 'W/"v1"', ""],
    ["a tag that is none", "v1", ""],
    [
      "no tag, and a date of this very second",
      "",
      "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    ],
    ["no tag, and a date without that of the answer", "", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"],
  ])("is incomplete with %s", async (_, tag, more) => {
    const etag = tag === "" ? "" : `ETag: ${tag}\r\n`;
    await using server = await startScriptedServer(
      answering(`HTTP/1.1 200 OK\r\n${etag}${more}Content-Length: 10\r\n\r\n0123`),
    );
    expect(await failureOf((await get(at(server), { resume })).text())).toMatchObject({ code: "incomplete" });
    expect(server.connections).toHaveLength(1);
  });

  it("continues with a Last-Modified date that is old enough", async () => {
    const dates = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:50:37 GMT\r\n";
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      peer.send(
        connection === 0
          ? `HTTP/1.1 200 OK\r\n${dates}Content-Length: 10\r\n\r\n0123`
          : `HTTP/1.1 206 Partial Content\r\n${dates}Content-Range: bytes 4-9/10\r\nContent-Length: 6\r\n\r\n456789`,
      );
    });
    expect(await (await get(at(server), { resume })).text()).toBe(TEXT);
    expect(server.connections[1]?.received.toString()).toContain(
      "if-range: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    );
  });

  it("continues within a range", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      const [range, content] = connection === 0 ? ["2-7/10", "234"] : ["5-7/10", "567"];
      const length = connection === 0 ? 6 : 3;
      peer.send(
        `HTTP/1.1 206 Partial Content\r\nETag: "v"\r\nContent-Range: bytes ${range}\r\nContent-Length: ${length}\r\n\r\n${content}`,
      );
    });
    const resource = await get(at(server), { range: { start: 2, end: 8 }, resume });
    expect(await resource.text()).toBe("234567");
    expect(server.connections[1]?.received.toString()).toContain("\r\nrange: bytes=5-7\r\n");
  });

  it("is complete when only its end is missing", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      peer.send(
        connection === 0
          ? `HTTP/1.1 200 OK\r\nETag: "v"\r\nTransfer-Encoding: chunked\r\n\r\na\r\n${TEXT}`
          : "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\nContent-Length: 0\r\n\r\n",
      );
    });
    expect(await (await get(at(server), { resume })).text()).toBe(TEXT);
  });

  it("is incomplete when the content has become shorter", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      if (connection === 0) peer.send('HTTP/1.1 200 OK\r\nETag: "v"\r\nContent-Length: 10\r\n\r\n0123');
      else peer.send("HTTP/1.1 416 No\r\nContent-Range: bytes */3\r\nContent-Length: 0\r\n\r\n");
    });
    const resource = await get(at(server), { resume });
    expect(await failureOf(resource.text())).toMatchObject({
      code: "incomplete",
      reason: expect.stringContaining("has changed") as string,
    });
    expect(server.connections).toHaveLength(2);
  });

  it("fails after the configured attempts without progress", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      if (connection === 0) peer.send('HTTP/1.1 200 OK\r\nETag: "v"\r\nContent-Length: 10\r\n\r\n0123');
      else peer.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    });
    const resource = await get(at(server), { resume: { attempts: 2, backoffMs: 1 } });
    expect(await failureOf(resource.text())).toMatchObject({ code: "unavailable" });
    expect(server.connections).toHaveLength(3);
  });
});
