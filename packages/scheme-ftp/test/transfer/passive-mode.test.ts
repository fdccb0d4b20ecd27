import { createClient, type CoreLimits, type TraceEvent, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ScriptedReply,
  type ScriptedFtpServer,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const testResources: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of testResources.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

function createFtpClient(options: FtpOptions = {}, limits: Partial<CoreLimits> = {}) {
  const client = createClient({ schemes: [ftp(options)], policy: anyAddress(), limits });
  testResources.push(client);
  return client;
}

/** Returns a loopback port that refuses connections. */
async function reserveClosedPort(): Promise<number> {
  const closed = await startForbiddenServer();
  await closed.stop();
  return closed.port;
}

/** Returns a port that does not reply to connection attempts, because its accept queue is full. */
async function reserveSilentPort(): Promise<number> {
  const worker = new Worker(
    `const { createServer } = require("node:net");
    const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:worker_threads").parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true },
  );
  const [port] = (await once(worker, "message")) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, "connect")));
  testResources.push({
    async [Symbol.asyncDispose]() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  });
  return port;
}

const formatEpsvReply = (port: number): string => `229 Entering Extended Passive Mode (|||${port}|)\r\n`;
const formatPasvReply = (port: number): string => `227 Entering (10,0,0,1,${port >> 8},${port & 255}).\r\n`;

/** Starts an FTP server with the given reply to EPSV and a PASV port that sends "hello". */
async function startPassiveModeServer(
  epsv: ScriptedReply,
  pasv?: ScriptedReply,
): Promise<ScriptedFtpServer & { readonly pasv: LoopbackServer }> {
  const data = await startScriptedServer((peer) => peer.send("hello"));
  const server = await startScriptedFtpServer({
    replies: {
      EPSV: epsv,
      PASV: pasv ?? formatPasvReply(data.port),
      RETR: "150 ok\r\n226 done\r\n",
      NLST: "150 ok\r\n226 done\r\n",
      STOR: "150 ok\r\n226 done\r\n",
    },
  });
  testResources.push(data, server);
  return Object.assign(server, { pasv: data });
}

const createServerUrl = ({ port }: ScriptedFtpServer, path = "/a.bin"): `ftp://${string}` =>
  `ftp://127.0.0.1:${port}${path}`;

const receivedCommands = ({ controlServer: control }: ScriptedFtpServer): string =>
  control.connections.map((connection) => connection.received.toString("latin1")).join("");

async function readFile(
  server: ScriptedFtpServer,
  client = createFtpClient(),
  path?: string,
): Promise<string> {
  const resource = await client.dereference(createServerUrl(server, path));
  if (resource.kind === "content") return resource.text();
  if (resource.kind !== "directory") throw new TypeError(resource.kind);
  const names: string[] = [];
  for await (const { name } of resource) names.push(name);
  return names.join(" ");
}

describe("the client sends PASV after a failed EPSV", () => {
  it.each<[string, () => Promise<string>]>([
    // curl's test 124
    ["an EPSV command that the server answers with a 3xx reply", async () => "314 bluah you f00l!\r\n"],
    [
      "an EPSV command that the server answers with a 4xx reply",
      async () => "425 cannot open a passive connection\r\n",
    ],
    ["an EPSV command that the server answers with a 5xx reply", async () => "500 what?\r\n"],
    ["an EPSV command that the server answers with another 2xx reply", async () => "200 fine\r\n"],
    [
      "an EPSV command that the server answers with a 229 reply without a port",
      async () => "229 Entering Extended Passive Mode\r\n",
    ],
    [
      "an EPSV command that the server answers with a 229 reply that has the address of a PASV reply",
      async () => "229 (127,0,0,1,4,1)\r\n",
    ],
    [
      "an EPSV command that the server answers with a 229 reply with the port 0",
      async () => formatEpsvReply(0),
    ],
    [
      "an EPSV command that the server answers with a 229 reply with the port 65536",
      async () => formatEpsvReply(65_536),
    ],
    // curl's test 1233
    [
      "an EPSV reply whose port refuses the connection",
      async () => formatEpsvReply(await reserveClosedPort()),
    ],
    ["an EPSV reply whose port does not answer", async () => formatEpsvReply(await reserveSilentPort())],
  ])("the client sends PASV once on the same control connection after %s", async (_, answer) => {
    const server = await startPassiveModeServer(await answer());
    expect(await readFile(server, createFtpClient({}, { connectTimeoutMs: 500 }))).toBe("hello");
    expect(receivedCommands(server)).toMatch(/EPSV\r\nPASV\r\nRETR a\.bin\r\n/);
    expect(receivedCommands(server).match(/PASV|EPSV|RETR/g)).toEqual(["EPSV", "PASV", "RETR"]);
    expect(server.controlServer.connections.length).toBe(1);
  });

  it("the client sends PASV after a failed EPSV for listings and uploads", async () => {
    const server = await startPassiveModeServer(formatEpsvReply(await reserveClosedPort()));
    expect(await readFile(server, createFtpClient(), "/pub;type=d")).toBe("hello");
    await createFtpClient().put(createServerUrl(server), "content");
    expect(receivedCommands(server).match(/PASV|EPSV|NLST|STOR/g)).toEqual([
      ..."EPSV PASV NLST".split(" "),
      ..."EPSV PASV STOR".split(" "),
    ]);
  });

  it("the client no longer sends EPSV to a server whose EPSV port was unreachable", async () => {
    const server = await startPassiveModeServer(formatEpsvReply(await reserveClosedPort()));
    const client = createFtpClient();
    for (let count = 0; count < 3; count++) expect(await readFile(server, client)).toBe("hello");
    expect(receivedCommands(server).match(/PASV|EPSV/g)).toEqual(["EPSV", "PASV", "PASV", "PASV"]);
  });

  it("the client sends PASV only once for each request if the PASV port also refuses the connection", async () => {
    const closed = await reserveClosedPort();
    const server = await startPassiveModeServer(formatEpsvReply(closed), formatPasvReply(closed));
    const client = createFtpClient();
    for (let count = 0; count < 2; count++)
      await expect(readFile(server, client)).rejects.toMatchObject({ code: "unavailable" });
    // The client tries EPSV again, because PASV has also failed.
    expect(receivedCommands(server).match(/PASV|EPSV|RETR/g)).toEqual(["EPSV", "PASV", "EPSV", "PASV"]);
  });

  it.each([
    ["is refused", "502 no\r\n"],
    ["names no port", "227 (::1,235,21)\r\n"],
  ])("the client reports the error of the EPSV port if PASV %s", async (_, pasv) => {
    const closed = await reserveClosedPort();
    const server = await startPassiveModeServer(formatEpsvReply(closed), pasv);
    await expect(readFile(server)).rejects.toMatchObject({
      code: "unavailable",
      reason: expect.stringContaining(`port ${closed}`) as string,
    });
  });

  it("the client reports the fault of the EPSV reply if the reply has no port and PASV is refused", async () => {
    const server = await startPassiveModeServer("229 passive\r\n", "502 no\r\n");
    await expect(readFile(server)).rejects.toMatchObject({
      code: "protocol",
      reason: "the server named no port for the data connection: 229 passive",
    });
  });

  it.each(["421 closing\r\n", "425 Too many connections.\r\n"])(
    "the client does not send PASV after the EPSV reply %j of a server that accepts no more connections",
    async (epsv) => {
      const server = await startPassiveModeServer(epsv);
      await expect(readFile(server)).rejects.toMatchObject({ code: "unavailable" });
      expect(receivedCommands(server)).not.toMatch(/PASV|RETR/);
    },
  );

  it("the client does not send PASV if the policy refuses the EPSV port", async () => {
    const server = await startPassiveModeServer(formatEpsvReply(22));
    await expect(readFile(server, createFtpClient({ idleTimeoutMs: 0 }))).rejects.toMatchObject({
      code: "refused-port",
    });
    await Promise.all(server.controlServer.connections.map(({ closed }) => closed));
    expect(receivedCommands(server)).toMatch(/EPSV\r\nQUIT\r\n$/);
    expect(receivedCommands(server)).not.toMatch(/PASV|RETR/);
  });
});

it("the client opens the first data connection to a server before the transfer command, and later ones after the command", async () => {
  const server = await startScriptedFtpServer();
  testResources.push(server);
  const client = createFtpClient();
  const orders: string[][] = [];
  for (let count = 0; count < 3; count++) {
    const order: string[] = [];
    const trace = ({ action, text }: TraceEvent): void => {
      if (action === "connect" && text.endsWith(`port ${server.dataServer.port}`)) order.push("connected");
      if (text.startsWith("RETR")) order.push("sent");
    };
    const resource = await client.dereference(createServerUrl(server), { trace });
    if (resource.kind === "content") expect(await resource.text()).toBe("hello");
    orders.push(order);
  }
  expect(orders).toEqual([
    ["connected", "sent"],
    ["sent", "connected"],
    ["sent", "connected"],
  ]);
});

it("the client reports a negative reply at once while the data connection is still opening", async () => {
  let epsv = 0;
  const silent = await reserveSilentPort();
  const server: ScriptedFtpServer = await startScriptedFtpServer({
    replies: {
      EPSV: (peer) => peer.send(formatEpsvReply(epsv++ === 0 ? server.dataServer.port : silent)),
      RETR: (peer) =>
        peer.send(epsv === 1 ? "150 ok\r\n226 done\r\n" : "150 ok\r\n425 Can't open data connection\r\n"),
    },
  });
  testResources.push(server);
  const client = createFtpClient();
  expect(await readFile(server, client)).toBe("hello");
  await expect(readFile(server, client)).rejects.toMatchObject({
    code: "unavailable",
    reason: expect.stringContaining("425 Can't open data connection") as string,
  });
});

it("the client reports the reply that a server sends after its data port has refused the connection", async () => {
  let epsv = 0;
  const closed = await reserveClosedPort();
  const { promise: transferStarted, resolve: startTransfer } = Promise.withResolvers<void>();
  const server: ScriptedFtpServer = await startScriptedFtpServer({
    replies: {
      EPSV: (peer) => peer.send(formatEpsvReply(epsv++ === 0 ? server.dataServer.port : closed)),
      RETR: async (peer) => {
        peer.send("150 ok\r\n");
        if (epsv === 1) return peer.send("226 done\r\n");
        await transferStarted;
        peer.send("522 session reuse required\r\n");
      },
    },
  });
  testResources.push(server);
  const client = createFtpClient();
  expect(await readFile(server, client)).toBe("hello");
  const trace = ({ action, text }: TraceEvent): void => {
    if (action === "receive" && text.startsWith("150")) startTransfer();
  };
  await expect(client.dereference(createServerUrl(server), { trace })).rejects.toMatchObject({
    code: "unsupported",
    reason: expect.stringContaining("522 session reuse required") as string,
  });
});
