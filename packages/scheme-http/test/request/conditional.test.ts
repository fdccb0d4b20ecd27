import type { Resource } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { startHttpFileTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  testClient,
  getRejectedError,
  getWithSharedTestClient,
} from "../test-client.ts";

const LAST_MODIFIED = new Date(Date.UTC(1994, 10, 6, 8, 49, 37));

describe("the client sends conditional http requests", () => {
  it("ifModifiedSince returns a not-modified resource when the file has not changed", async () => {
    await using server = await startHttpFileTestServer({
      files: { "f.txt": "hello" },
      modifiedAt: LAST_MODIFIED,
    });
    const ask = (ifModifiedSince: Date): Promise<Resource> =>
      getWithSharedTestClient(createServerUrl(server, "/f.txt"), { ifModifiedSince });
    expect(await ask(LAST_MODIFIED)).toMatchObject({
      kind: "not-modified",
      modified: LAST_MODIFIED,
      httpResponse: { status: 304 },
    });
    expect(server.receivedLines).toContain("if-modified-since: Sun, 06 Nov 1994 08:49:37 GMT");
    const changed = await ask(new Date(LAST_MODIFIED.getTime() - 1000));
    expect(changed.kind === "content" && (await changed.text())).toBe("hello");
  });

  it("ifNoneMatch returns a not-modified resource for status 304, and the connection is reused", async () => {
    await using server = await startScriptedServer(async (peer) => {
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
        if (line === "") peer.send('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n');
    });
    for (let count = 0; count < 2; count++) {
      const resource: Resource = await getWithSharedTestClient(createServerUrl(server), {
        ifNoneMatch: '"a"',
      });
      expect(resource).toMatchObject({
        kind: "not-modified",
        modified: undefined,
        httpResponse: { headers: { etag: ['"a"'] } },
      });
      expect(resource.url.href).toBe(createServerUrl(server));
      await resource.close();
    }
    expect(server.connections).toHaveLength(1);
    expect(server.connections[0]?.received.toString()).toContain('\r\nif-none-match: "a"\r\n');
  });

  it("status 304 is a protocol error for a request without a condition", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript("HTTP/1.1 304 Not Modified\r\n\r\n"),
    );
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).toMatchObject({
      code: "protocol",
    });
  });

  it("after a redirect to another origin, ifModifiedSince is sent and ifNoneMatch is not", async () => {
    await using second = await startScriptedServer(
      createSingleResponseScript("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    );
    await using first = await startScriptedServer(
      createSingleResponseScript(
        `HTTP/1.1 302 Found\r\nLocation: ${createServerUrl(second)}\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    await (
      await getWithSharedTestClient(createServerUrl(first), {
        ifNoneMatch: '"a"',
        ifModifiedSince: LAST_MODIFIED,
      })
    ).bytes();
    expect(second.connections[0]?.received.toString()).toContain("if-modified-since");
    expect(second.connections[0]?.received.toString()).not.toContain("if-none-match");
  });
});

describe("the option ifNoneMatch accepts entity tags", () => {
  it.each(['"a"', 'W/"a"', '""', "*", '"a", W/"b"', '"a" ,"b"'])(
    "ifNoneMatch with the entity tags %s is sent unchanged",
    (ifNoneMatch) => {
      const { steps } = testClient.plan("http://h.example/", { ifNoneMatch });
      const sent = steps.map(({ bytes }) => Buffer.from(bytes ?? []).toString("latin1")).join("");
      expect(sent).toContain(`\r\nif-none-match: ${ifNoneMatch}\r\n`);
    },
  );

  it.each(["a", "", '"a', '"a""b"', 'w/"a"', '"a"\r\nx: y', '"a\r\n"', '"a b"', '"a", *', '"\u2603"'])(
    "ifNoneMatch with the invalid entity tag %j is refused",
    (ifNoneMatch) => {
      expect(() => testClient.plan("http://h.example/", { ifNoneMatch })).toThrow(
        expect.objectContaining({ code: "refused-characters" }) as Error,
      );
    },
  );
});
