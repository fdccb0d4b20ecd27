import { startProsperoTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import {
  readContentBytes,
  createClientForServers,
  listProsperoEntries,
  getRedirectChainUrls,
} from "../prospero-client.ts";
import {
  createProsperoReplyHandler,
  encodeReplyInOnePacket,
  startScriptedProsperoServer,
} from "../scripted-server.ts";
import { catchAccessError } from "../../../../core/test/catch-access-error.ts";

const OBJECT_INFO_REQUEST = "GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES ASCII";

describe("forwarded Prospero objects", () => {
  it("the client follows a forwarded object and records the redirect in redirectChain", async () => {
    await using end = await startProsperoTestServer({ objects: { "/new/place": "here it is" } });
    await using middle = await startScriptedProsperoServer(
      createProsperoReplyHandler({
        [OBJECT_INFO_REQUEST]: `FORWARDED INTERNET-D 127.0.0.1(${end.port}) ASCII '/new/place' 0\n`,
      }),
    );
    await using start = await startProsperoTestServer({
      objects: { "/old": { forwardedTo: { host: `127.0.0.1(${middle.port})`, hsoname: "x" } } },
    });
    await using client = createClientForServers([start, middle, end]);
    const resource = await client.dereference(`prospero://127.0.0.1:${start.port}//old`);
    expect((await readContentBytes(resource)).toString()).toBe("here it is");
    expect(String(resource.url)).toBe(`prospero://127.0.0.1:${end.port}//new/place`);
    expect(getRedirectChainUrls(resource)).toEqual([
      `prospero://127.0.0.1:${start.port}//old`,
      `prospero://127.0.0.1:${middle.port}/x`,
    ]);
  });

  it.each([
    [
      "the whole object name",
      (port: number) => `FORWARDED INTERNET-D 127.0.0.1(${port}) ASCII '/d' 0\n`,
      "/d",
    ],
    [
      "the last component of the object name",
      (port: number) => `LINK  L DIRECTORY '' INTERNET-D 127.0.0.1(${port}) ASCII '/' 0\nUNRESOLVED d\n`,
      "/d",
    ],
    [
      "two components of the object name",
      (port: number) =>
        `LINK  L DIRECTORY x INTERNET-D 127.0.0.1(${port}) ASCII '/d' 0\nUNRESOLVED sub deep\n`,
      "/d/sub/deep",
    ],
  ])("the client follows a reply that forwards %s", async (_, reply, hsoname) => {
    await using end = await startProsperoTestServer({
      objects: { "/d/a.txt": "one", "/d/sub/deep/b.txt": "two" },
    });
    for (const command of [OBJECT_INFO_REQUEST, "DIRECTORY"]) {
      await using start = await startScriptedProsperoServer(
        createProsperoReplyHandler({ [command]: reply(end.port) }),
      );
      await using client = createClientForServers([start, end]);
      const resource = await client.dereference(`prospero://127.0.0.1:${start.port}/x`);
      expect(String(resource.url)).toBe(`prospero://127.0.0.1:${end.port}/${hsoname}`);
      expect(await listProsperoEntries(resource)).toHaveLength(hsoname === "/d" ? 2 : 1);
    }
  });

  it.each([
    ["a location that no URL can express", "FORWARDED VIRTUAL-SYSTEM vs ASCII '/x' 0\n", "unsupported"],
    ["an invalid host name", "FORWARDED INTERNET-D 'a b' ASCII '/x' 0\n", "unsupported"],
    ["no location", "UNRESOLVED a\n", "protocol"],
    ["a port of another protocol", "FORWARDED INTERNET-D 127.0.0.1(25) ASCII '/x' 0\n", "refused-port"],
    [
      "an object name with a line end",
      "FORWARDED INTERNET-D 127.0.0.1 ASCII 'a\nb' 0\n",
      "refused-characters",
    ],
  ])("the client rejects a reply that forwards to an unusable location: %s", async (_, reply, code) => {
    await using start = await startScriptedProsperoServer(
      createProsperoReplyHandler({ [OBJECT_INFO_REQUEST]: reply }),
    );
    await using client = createClientForServers([start]);
    expect((await catchAccessError(client.dereference(`prospero://127.0.0.1:${start.port}/x`))).code).toBe(
      code,
    );
  });

  it("the client rejects an object that is forwarded to itself", async () => {
    await using start: Awaited<ReturnType<typeof startScriptedProsperoServer>> =
      await startScriptedProsperoServer((request) =>
        encodeReplyInOnePacket(`FORWARDED INTERNET-D 127.0.0.1(${start.port}) ASCII x 0\n`, request),
      );
    await using client = createClientForServers([start]);
    const failure = await catchAccessError(client.dereference(`prospero://127.0.0.1:${start.port}/x`));
    expect([failure.code, start.requests.length]).toEqual(["refused-redirect", 1]);
  });

  it.each([
    [2, 2],
    [2, 3],
    [5, 5],
    [5, 6],
  ])(
    "a client with maxProsperoForwards = %i sends a request that servers forward %i times",
    async (limit, count) => {
      await using start: Awaited<ReturnType<typeof startScriptedProsperoServer>> =
        await startScriptedProsperoServer((request) => {
          const [, number = ""] = /ASCII x(\d+)/.exec(request.commandLines) ?? [];
          if (Number(number) === count) return encodeReplyInOnePacket("FAILURE NOT-AUTHORIZED\n", request);
          return encodeReplyInOnePacket(
            `FORWARDED INTERNET-D 127.0.0.1(${start.port}) ASCII x${Number(number) + 1} 0\n`,
            request,
          );
        });
      await using client = createClientForServers([start]);
      const failure = await catchAccessError(
        client.dereference(`prospero://127.0.0.1:${start.port}/x0`, {
          limits: { maxProsperoForwards: limit, maxRedirects: 100 },
        }),
      );
      if (count <= limit) expect(failure.code).toBe("permission-denied");
      else expect(failure).toMatchObject({ code: "limit", limit: "maxProsperoForwards" });
      expect(start.requests).toHaveLength(Math.min(count, limit) + 1);
    },
  );
});
