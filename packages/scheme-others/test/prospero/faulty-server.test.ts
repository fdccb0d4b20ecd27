import type { ClientLimits } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { readContentBytes, createClientForServers, readEntriesUntilFailure } from "./prospero-client.ts";
import {
  encodeReplyInOnePacket,
  encodeReplyInPackets,
  type ProsperoTestRequest,
  type ProsperoRequestHandler,
  startScriptedProsperoServer,
} from "./scripted-server.ts";
import { catchAccessError } from "../../../core/test/catch-access-error.ts";

const OBJECT_INFO_REQUEST = "GET-OBJECT-INFO ACCESS-METHOD";
const CONTENTS_METHOD_LINE =
  "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n";
const CONTENTS_ATTRIBUTE_START = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA ";

/** Creates a server script that first describes the object, and sends the same reply to all other requests. */
const createInfoThenReplyHandler =
  (info: string, then: string): ProsperoRequestHandler =>
  (request) =>
    encodeReplyInOnePacket(request.commandLines.startsWith(OBJECT_INFO_REQUEST) ? info : then, request);

/** Creates an ARDP packet with an option and without data. */
const createControlPacket = (id: Buffer, option: number, ...extra: number[]): Buffer =>
  Buffer.from([13 + extra.length, ...id, 0, 0, 0, 0, 0, 1, 0, 0, 0, option, ...extra]);

const encodeRedirectTarget = (port: number, address = "127.0.0.1"): number[] => [
  ...address.split(".").map(Number),
  port >> 8,
  port & 0xff,
];

describe("a Prospero server reports failures", () => {
  it.each<[what: string, info: string, then: string, code: string]>([
    ["the description of the object", "FAILURE NOT-AUTHORIZED\n", "", "permission-denied"],
    ["the description and the listing", "FAILURE NOT-FOUND\n", "FAILURE NOT-A-DIRECTORY\n", "not-found"],
    [
      "the description with NOT-FOUND and the listing with NOT-AUTHORIZED",
      "FAILURE NOT-FOUND\n",
      "FAILURE NOT-AUTHORIZED\n",
      "permission-denied",
    ],
    ["the contents", CONTENTS_METHOD_LINE, "FAILURE SERVER-FAILED\n", "unavailable"],
    ["the command", "ERROR Unknown message: GET-OBJECT-INFO\n", "", "protocol"],
    ["the protocol version", "VERSION-NOT-SUPPORTED TRY 1-4", "", "unsupported"],
    [
      "the listing of an object without an access method",
      "SUCCESS\n",
      "FAILURE NOT-A-DIRECTORY\n",
      "no-content",
    ],
  ])("the client rejects a request if the server refuses %s", async (_, info, then, code) => {
    await using server = await startScriptedProsperoServer(createInfoThenReplyHandler(info, then));
    await using client = createClientForServers([server]);
    const failure = await catchAccessError(client.dereference(`prospero://127.0.0.1:${server.port}/x`));
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(`prospero://127.0.0.1:${server.port}/x`);
    expect(failure.step?.action).toBe("send");
  });

  it("the client throws a failure in the middle of a directory after the entries before it", async () => {
    const links = ["a", "b"].map((name) => `LINK  L FILE ${name} INTERNET-D h ASCII ${name} 0\n`).join("");
    await using server = await startScriptedProsperoServer((request) =>
      request.commandLines.startsWith(OBJECT_INFO_REQUEST)
        ? encodeReplyInOnePacket("FAILURE NOT-FOUND\n", request)
        : encodeReplyInPackets(`${links}FAILURE SERVER-FAILED\n`, request, 20),
    );
    await using client = createClientForServers([server]);
    const found = await readEntriesUntilFailure(
      await client.dereference(`prospero://127.0.0.1:${server.port}/x`),
    );
    expect([found.names, found.failure?.code]).toEqual([["a", "b"], "unavailable"]);
  });

  it("the client rejects a request that the server refuses in an ARDP packet", async () => {
    await using server = await startScriptedProsperoServer(({ connectionId: id }) => [
      createControlPacket(id, 1),
    ]);
    await using client = createClientForServers([server]);
    const failure = await catchAccessError(client.dereference(`prospero://127.0.0.1:${server.port}/x`));
    expect([failure.code, failure.reason]).toEqual(["unavailable", "the server refuses the request"]);
  });

  it("the client rejects a request if no server listens on the port", async () => {
    const server = await startScriptedProsperoServer(() => []);
    await server.stop();
    await using client = createClientForServers([server]);
    expect((await catchAccessError(client.dereference(`prospero://127.0.0.1:${server.port}/x`))).code).toBe(
      "unavailable",
    );
  });
});

describe("the client reads replies of a Prospero server", () => {
  const links = ["one", "two", "three"]
    .map((name) => `LINK  L FILE ${name} INTERNET-D h ASCII '/${name}' 0\n`)
    .join("");

  it("the client reads the same directory from a reply in packets of any size", async () => {
    for (let size = 1; size <= links.length; size++) {
      // The reply must fit into one window of ARDP packets.
      if (links.length / size > 15) continue;
      await using server = await startScriptedProsperoServer((request) =>
        request.commandLines.startsWith(OBJECT_INFO_REQUEST)
          ? encodeReplyInOnePacket("FAILURE NOT-FOUND\n", request)
          : encodeReplyInPackets(links, request, size),
      );
      await using client = createClientForServers([server]);
      const found = await readEntriesUntilFailure(
        await client.dereference(`prospero://127.0.0.1:${server.port}/x`),
      );
      expect(found).toEqual({ names: ["one", "two", "three"], failure: undefined });
    }
  });

  it("the client reads the same directory from packets in reverse order, with duplicates and packets of other requests", async () => {
    await using server = await startScriptedProsperoServer((request) => {
      if (request.commandLines.startsWith(OBJECT_INFO_REQUEST))
        return encodeReplyInOnePacket("FAILURE NOT-FOUND\n", request);
      const packets = encodeReplyInPackets(links, request, 20).toReversed();
      const others = encodeReplyInPackets(
        "FAILURE NOT-FOUND\n",
        {
          ...request,
          connectionId: Buffer.from([request.connectionId[0] ?? 0, (request.connectionId[1] ?? 0) ^ 1]),
        },
        20,
      );
      return [...others, ...packets, Buffer.alloc(0), ...packets];
    });
    await using client = createClientForServers([server]);
    const found = await readEntriesUntilFailure(
      await client.dereference(`prospero://127.0.0.1:${server.port}/x`),
    );
    expect(found).toEqual({ names: ["one", "two", "three"], failure: undefined });
  });

  it("the client ignores a late reply to an earlier request", async () => {
    let earlier: ProsperoTestRequest | undefined;
    await using server = await startScriptedProsperoServer((request) => {
      const stale = earlier ? encodeReplyInOnePacket("FAILURE NOT-AUTHORIZED\n", earlier) : [];
      earlier = request;
      return [
        ...stale,
        ...encodeReplyInOnePacket(
          request.commandLines.startsWith(OBJECT_INFO_REQUEST) ? "FAILURE NOT-FOUND\n" : links,
          request,
        ),
      ];
    });
    await using client = createClientForServers([server]);
    const found = await readEntriesUntilFailure(
      await client.dereference(`prospero://127.0.0.1:${server.port}/x`),
    );
    expect(found.names).toHaveLength(3);
  });

  it.each<[limit: keyof ClientLimits, value: number, names: number, code: string | undefined]>([
    ["maxProsperoLinks", 2, 2, "limit"],
    ["maxProsperoLinks", 3, 3, undefined],
    ["maxListingBytes", links.length - 1, 0, "limit"],
    ["maxListingBytes", links.length, 3, undefined],
    ["maxListingLineBytes", links.split("\n")[2]?.length ?? 0, 3, undefined],
    ["maxListingLineBytes", (links.split("\n")[2]?.length ?? 0) - 1, 2, "limit"],
  ])(
    "the client reads links of a directory with the limit %s = %i: %i links",
    async (limit, value, names, code) => {
      await using server = await startScriptedProsperoServer(
        createInfoThenReplyHandler("FAILURE NOT-FOUND\n", links),
      );
      await using client = createClientForServers([server]);
      const url = `prospero://127.0.0.1:${server.port}/x`;
      const work = client.dereference(url, { limits: { [limit]: value } }).then(readEntriesUntilFailure);
      const found = await work.catch((error: unknown) => ({ names: [], failure: error }));
      expect(found.names).toHaveLength(names);
      if (code === undefined) expect(found.failure).toBeUndefined();
      else expect(found.failure).toMatchObject({ code, limit });
    },
  );

  it("the client times out after firstByteTimeoutMs or idleTimeoutMs if no reply arrives", async () => {
    await using server = await startScriptedProsperoServer(({ earlierRequestCount: count }) =>
      count === 0 ? [] : [],
    );
    await using client = createClientForServers([server]);
    const url = `prospero://127.0.0.1:${server.port}/x`;
    expect(
      await catchAccessError(client.dereference(url, { limits: { firstByteTimeoutMs: 5 } })),
    ).toMatchObject({
      code: "timeout",
      limit: "firstByteTimeoutMs",
    });
    await using half = await startScriptedProsperoServer((request) =>
      encodeReplyInPackets(links, request, 20).slice(0, 1),
    );
    await using other = createClientForServers([half]);
    const work = other.dereference(`prospero://127.0.0.1:${half.port}/x`, { limits: { idleTimeoutMs: 5 } });
    expect(await catchAccessError(work)).toMatchObject({ code: "timeout", limit: "idleTimeoutMs" });
  });

  it("the client traces the position of the request in the server's queue", async () => {
    await using server = await startScriptedProsperoServer((request) => [
      createControlPacket(request.connectionId, 254, 3, 0, 7, 0, 0, 1, 44),
      ...encodeReplyInOnePacket("FAILURE NOT-AUTHORIZED\n", request),
    ]);
    await using client = createClientForServers([server]);
    const events: string[] = [];
    const traceListener = ({ text }: { text: string }): void => void events.push(text);
    await catchAccessError(
      client.dereference(`prospero://127.0.0.1:${server.port}/x`, { trace: traceListener }),
    );
    expect(events).toContain("in the server's queue, position 7, 300 seconds");
  });

  it("the client rejects a request that the server defers beyond maxProsperoWaitMs", async () => {
    await using server = await startScriptedProsperoServer(({ connectionId: id }) => [
      Buffer.from([11, ...id, 0, 0, 0, 0, 0, 1, 0xff, 0xff]),
    ]);
    await using client = createClientForServers([server]);
    const work = client.dereference(`prospero://127.0.0.1:${server.port}/x`, {
      limits: { maxProsperoWaitMs: 5 },
    });
    expect(await catchAccessError(work)).toMatchObject({ code: "timeout", limit: "maxProsperoWaitMs" });
  });

  it("the client rejects contents that are longer than maxBodyBytes", async () => {
    await using server = await startScriptedProsperoServer(
      createInfoThenReplyHandler(CONTENTS_METHOD_LINE, `${CONTENTS_ATTRIBUTE_START}'${"x".repeat(100)}'\n`),
    );
    await using client = createClientForServers([server]);
    const url = `prospero://127.0.0.1:${server.port}/x`;
    expect(
      (await readContentBytes(await client.dereference(url, { limits: { maxBodyBytes: 100 } }))).length,
    ).toBe(100);
    const work = client.dereference(url, { limits: { maxBodyBytes: 99 } }).then(readContentBytes);
    expect(await catchAccessError(work)).toMatchObject({ code: "limit", limit: "maxBodyBytes" });
  });
});

describe("the client follows ARDP redirects to another server", () => {
  it("the client follows an ARDP redirect with the same connection id and sends later requests to the new server", async () => {
    await using end = await startScriptedProsperoServer(
      createInfoThenReplyHandler(CONTENTS_METHOD_LINE, `${CONTENTS_ATTRIBUTE_START}there\n`),
    );
    await using start = await startScriptedProsperoServer(({ connectionId: id }) => [
      createControlPacket(id, 4, ...encodeRedirectTarget(end.port)),
    ]);
    await using client = createClientForServers([start, end]);
    const events: string[] = [];
    const resource = await client.dereference(`prospero://127.0.0.1:${start.port}/x`, {
      trace: ({ action, text }) => void events.push(`${action} ${text}`),
    });
    expect((await readContentBytes(resource)).toString()).toBe("there");
    expect(start.requests).toHaveLength(1);
    expect(end.requests.map(({ message }) => message)[0]).toBe(start.requests[0]?.message);
    expect(end.requests[0]?.connectionId).toEqual(start.requests[0]?.connectionId);
    expect(end.requests[1]?.connectionId).not.toEqual(end.requests[0]?.connectionId);
    expect(events).toContain(`redirect redirected to 127.0.0.1 port ${end.port}`);
  });

  it("the client refuses an ARDP redirect to a forbidden port before it sends a datagram", async () => {
    await using end = await startScriptedProsperoServer(
      createInfoThenReplyHandler(CONTENTS_METHOD_LINE, `${CONTENTS_ATTRIBUTE_START}there\n`),
    );
    await using start = await startScriptedProsperoServer(({ connectionId: id }) => [
      createControlPacket(id, 5, ...encodeRedirectTarget(end.port)),
    ]);
    await using client = createClientForServers([start]);
    expect((await catchAccessError(client.dereference(`prospero://127.0.0.1:${start.port}/x`))).code).toBe(
      "refused-port",
    );
    expect(end.packetHeaders).toEqual([]);
  });

  it.each([
    [2, 2],
    [2, 3],
    [5, 6],
  ])(
    "the client allows maxProsperoForwards = %i ARDP redirects, and the server sends %i",
    async (limit, count) => {
      let left = count;
      const server: Awaited<ReturnType<typeof startScriptedProsperoServer>> =
        await startScriptedProsperoServer((request) =>
          left-- > 0
            ? [createControlPacket(request.connectionId, 4, ...encodeRedirectTarget(server.port))]
            : encodeReplyInOnePacket("FAILURE NOT-AUTHORIZED\n", request),
        );
      await using _ = server;
      await using client = createClientForServers([server]);
      const work = client.dereference(`prospero://127.0.0.1:${server.port}/x`, {
        limits: { maxProsperoForwards: limit },
      });
      const failure = await catchAccessError(work);
      if (count <= limit) expect(failure.code).toBe("permission-denied");
      else expect(failure).toMatchObject({ code: "limit", limit: "maxProsperoForwards" });
      expect(server.requests).toHaveLength(Math.min(count, limit) + 1);
    },
  );
});

describe("the caller cancels a Prospero request", () => {
  const endless: ProsperoRequestHandler = (request) =>
    request.commandLines.startsWith(OBJECT_INFO_REQUEST)
      ? encodeReplyInOnePacket(
          request.commandLines.includes("dir") ? "FAILURE NOT-FOUND\n" : CONTENTS_METHOD_LINE,
          request,
        )
      : encodeReplyInPackets(
          request.commandLines.startsWith("DIRECTORY")
            ? "LINK  L FILE x INTERNET-D h ASCII x 0\nLINK"
            : `${CONTENTS_ATTRIBUTE_START}'begun`,
          request,
          70,
        ).map((packet) => Buffer.concat([packet.subarray(0, 5), Buffer.from([0, 0]), packet.subarray(7)]));

  it.each(["dir", "file"])("close() of the resource %s sends a cancel packet to the server", async (name) => {
    await using server = await startScriptedProsperoServer(endless);
    await using client = createClientForServers([server]);
    const url = `prospero://127.0.0.1:${server.port}/${name}`;
    await (await client.dereference(url)).close();
    // The client sends the next request after the cancel packet.
    await (await client.dereference(url)).close();
    expect(server.packetHeaders.slice(0, 4)).toEqual([
      "09 000100010000",
      "09 000100010000",
      "0d 00000000000000000001",
      "09 000100010000",
    ]);
  });

  it("the client aborts a wait for the reply when the signal aborts", async () => {
    await using server = await startScriptedProsperoServer(() => []);
    await using client = createClientForServers([server]);
    const controller = new AbortController();
    const work = client.dereference(`prospero://127.0.0.1:${server.port}/x`, {
      signal: controller.signal,
      trace: ({ action }) => action === "send" && controller.abort(),
    });
    expect((await catchAccessError(work)).code).toBe("aborted");
  });

  it("the client aborts a body that is partly read when the signal aborts", async () => {
    await using server = await startScriptedProsperoServer(endless);
    await using client = createClientForServers([server]);
    const controller = new AbortController();
    const resource = await client.dereference(`prospero://127.0.0.1:${server.port}/file`, {
      signal: controller.signal,
    });
    const reading = catchAccessError(readContentBytes(resource));
    controller.abort();
    expect((await reading).code).toBe("aborted");
  });
});
