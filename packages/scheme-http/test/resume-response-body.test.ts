import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
  createSingleResponseScript,
  createServerUrl,
} from "./test-client.ts";

const FILE_TEXT = "0123456789";

/**
 * Starts a server that closes each connection after some bytes of the body. The server supports Range and If-Range.
 */
function startDisconnectingServer(
  every: number,
  options: { tag?: string; tags?: string[]; fields?: string } = {},
): Promise<LoopbackServer> {
  const { tag = '"v1"', tags = [], fields = "" } = options;
  return startScriptedServer(async (peer, connection) => {
    const lines = await readRequestHead(peer);
    const current = tags[connection] ?? tag;
    const requestedStart = /^range: bytes=(\d+)-/m.exec(lines.join("\n"))?.[1];
    const isSame = lines.includes(`if-range: ${current}`);
    const start = requestedStart !== undefined && isSame ? Number(requestedStart) : 0;
    const status = start > 0 ? "206 Partial Content" : "200 OK";
    const range = start > 0 ? `Content-Range: bytes ${start}-9/10\r\n` : "";
    const length = `Content-Length: ${FILE_TEXT.length - start}\r\n`;
    peer.send(`HTTP/1.1 ${status}\r\nETag: ${current}\r\n${range}${length}${fields}\r\n`);
    peer.send(FILE_TEXT.slice(start, start + every));
  });
}

describe("the option resume continues an http response after a lost connection", () => {
  const resume = { maxRetries: 3, backoffMs: 1 };

  it("resume continues a body at the next byte after each lost connection that made progress", async () => {
    await using server = await startDisconnectingServer(4);
    const resource = await getWithSharedTestClient(createServerUrl(server), { resume });
    expect(await resource.text()).toBe(FILE_TEXT);
    expect(await resource.completeness).toBe("verified");
    expect(server.connections).toHaveLength(3);
    const requestedStart = server.connections.map(
      ({ received }) => /range: bytes=\S+/.exec(received.toString())?.[0],
    );
    expect(requestedStart).toEqual([undefined, "range: bytes=4-", "range: bytes=8-"]);
    expect(server.connections[1]?.received.toString()).toContain('\r\nif-range: "v1"\r\n');
  });

  it("a body with a lost connection is incomplete without the option resume", async () => {
    await using server = await startDisconnectingServer(4);
    expect(
      await getRejectedError((await getWithSharedTestClient(createServerUrl(server))).text()),
    ).toMatchObject({
      code: "incomplete",
    });
    expect(server.connections).toHaveLength(1);
  });

  it("resume does not combine two versions of the content", async () => {
    await using server = await startDisconnectingServer(4, { tags: ['"v1"', '"v2"'] });
    const resource = await getWithSharedTestClient(createServerUrl(server), { resume });
    expect(await getRejectedError(resource.text())).toMatchObject({
      code: "incomplete",
      reason: expect.stringContaining("has changed") as string,
    });
  });

  it.each([
    ["a weak entity tag", 'W/"v1"', ""],
    ["an invalid entity tag", "v1", ""],
    [
      "a Last-Modified date equal to the Date of the response",
      "",
      "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    ],
    ["a Last-Modified header and no Date header", "", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"],
  ])("resume does not continue a body of a response with %s", async (_, tag, more) => {
    const etag = tag === "" ? "" : `ETag: ${tag}\r\n`;
    await using server = await startScriptedServer(
      createSingleResponseScript(`HTTP/1.1 200 OK\r\n${etag}${more}Content-Length: 10\r\n\r\n0123`),
    );
    expect(
      await getRejectedError((await getWithSharedTestClient(createServerUrl(server), { resume })).text()),
    ).toMatchObject({
      code: "incomplete",
    });
    expect(server.connections).toHaveLength(1);
  });

  it("resume continues with a Last-Modified date that is older than the Date", async () => {
    const dates = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:50:37 GMT\r\n";
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      peer.send(
        connection === 0
          ? `HTTP/1.1 200 OK\r\n${dates}Content-Length: 10\r\n\r\n0123`
          : `HTTP/1.1 206 Partial Content\r\n${dates}Content-Range: bytes 4-9/10\r\nContent-Length: 6\r\n\r\n456789`,
      );
    });
    expect(await (await getWithSharedTestClient(createServerUrl(server), { resume })).text()).toBe(FILE_TEXT);
    expect(server.connections[1]?.received.toString()).toContain(
      "if-range: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    );
  });

  it("resume continues a requested range at its next byte", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      const [range, content] = connection === 0 ? ["2-7/10", "234"] : ["5-7/10", "567"];
      const length = connection === 0 ? 6 : 3;
      peer.send(
        `HTTP/1.1 206 Partial Content\r\nETag: "v"\r\nContent-Range: bytes ${range}\r\nContent-Length: ${length}\r\n\r\n${content}`,
      );
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), {
      range: { start: 2, endExclusive: 8 },
      resume,
    });
    expect(await resource.text()).toBe("234567");
    expect(server.connections[1]?.received.toString()).toContain("\r\nrange: bytes=5-7\r\n");
  });

  it("resume requests the rest of a range after a part of the range", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      const [range, content] = connection === 0 ? ["2-4/10", "234"] : ["5-9/10", "56789"];
      peer.send(
        `HTTP/1.1 206 Partial Content\r\nETag: "v"\r\nContent-Range: bytes ${range}\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n${content}`,
      );
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), { range: { start: 2 }, resume });
    expect(await resource.text()).toBe("23456789");
    expect(server.connections[1]?.received.toString()).toContain("\r\nrange: bytes=5-9\r\n");
  });

  it("resume completes a body whose last chunk was lost", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      peer.send(
        connection === 0
          ? `HTTP/1.1 200 OK\r\nETag: "v"\r\nTransfer-Encoding: chunked\r\n\r\na\r\n${FILE_TEXT}`
          : "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\nContent-Length: 0\r\n\r\n",
      );
    });
    expect(await (await getWithSharedTestClient(createServerUrl(server), { resume })).text()).toBe(FILE_TEXT);
  });

  it("resume fails with the code incomplete when the content has become shorter", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      if (connection === 0) peer.send('HTTP/1.1 200 OK\r\nETag: "v"\r\nContent-Length: 10\r\n\r\n0123');
      else peer.send("HTTP/1.1 416 No\r\nContent-Range: bytes */3\r\nContent-Length: 0\r\n\r\n");
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), { resume });
    expect(await getRejectedError(resource.text())).toMatchObject({
      code: "incomplete",
      reason: expect.stringContaining("has changed") as string,
    });
    expect(server.connections).toHaveLength(2);
  });

  it("resume fails after the configured number of retries without progress", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      if (connection === 0) peer.send('HTTP/1.1 200 OK\r\nETag: "v"\r\nContent-Length: 10\r\n\r\n0123');
      else peer.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), {
      resume: { maxRetries: 2, backoffMs: 1 },
    });
    expect(await getRejectedError(resource.text())).toMatchObject({ code: "unavailable" });
    expect(server.connections).toHaveLength(3);
  });
});
