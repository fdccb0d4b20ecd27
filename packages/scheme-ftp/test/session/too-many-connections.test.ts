import { type Client, createClient, anyAddress } from "@anyscheme/core";
import { type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, startScriptedFtpServer } from "../scripted-ftp-server.ts";

/** The way in which the server refuses a control connection above its limit. */
interface ConnectionRefusal {
  readonly refusedCommand: "greeting" | "PASS" | "EPSV" | "RETR";
  readonly sendRefusal: (peer: ScriptedPeer) => void;
}

const refuseWithReply = (
  refusedCommand: ConnectionRefusal["refusedCommand"],
  reply: string,
): ConnectionRefusal => ({
  refusedCommand,
  sendRefusal: (peer) => peer.send(`${reply}\r\n`),
});

const CONNECTION_REFUSALS: [string, ConnectionRefusal][] = [
  [
    "a server that greets with 421",
    refuseWithReply("greeting", "421 There are too many connected users, please try later."),
  ],
  [
    "a server that greets with 421 and a text that names no limit",
    refuseWithReply("greeting", "421 Service not available."),
  ],
  [
    "a server that answers PASS with 530",
    refuseWithReply("PASS", "530 Sorry, the maximum number of clients (2) are already connected"),
  ],
  [
    "a server that closes the connection before its greeting",
    { refusedCommand: "greeting", sendRefusal: () => undefined },
  ],
  [
    "a server that resets the connection before its greeting",
    { refusedCommand: "greeting", sendRefusal: (peer) => peer.reset() },
  ],
  [
    "a server that answers EPSV with 425",
    refuseWithReply("EPSV", "425 Too many connections. Can't open data channel."),
  ],
  ["a server that answers RETR with 425", refuseWithReply("RETR", "425 Too many connections.")],
  [
    "a server that answers RETR with 426",
    refuseWithReply("RETR", "426 Too many connections; transfer aborted."),
  ],
];

/** Starts a server that accepts at most `maxConnections` control connections at a time. */
async function startLimitedServer(
  maxConnections: number,
  { refusedCommand, sendRefusal }: ConnectionRefusal,
) {
  const data = await startScriptedServer((peer) => peer.send("hello"));
  const answers: Record<string, string> = {
    USER: "331 password, please\r\n",
    PASS: "230 welcome\r\n",
    TYPE: "200 type set\r\n",
    SIZE: "550 not told\r\n",
    PWD: '257 "/" is current\r\n',
    CWD: "250 changed\r\n",
    EPSV: `229 extended passive (|||${data.port}|)\r\n`,
    RETR: "150 here it comes\r\n226 done\r\n",
    QUIT: "221 bye\r\n",
  };
  let open = 0;
  const control = await startScriptedServer(async (peer) => {
    const isOneTooMany = ++open > maxConnections;
    try {
      if (isOneTooMany && refusedCommand === "greeting") return sendRefusal(peer);
      peer.send("220 ready\r\n");
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
        const command = line.split(" ")[0] ?? "";
        if (isOneTooMany && refusedCommand === command) sendRefusal(peer);
        else peer.send(answers[command] ?? "502 what?\r\n");
      }
    } finally {
      open--;
    }
  });
  return {
    port: control.port,
    control,
    async [Symbol.asyncDispose]() {
      await control.stop();
      await data.stop();
    },
  };
}

async function readFile(client: Client, port: number): Promise<string> {
  const resource = await client.dereference(`ftp://127.0.0.1:${port}/a.bin`);
  return resource.kind === "content" ? resource.text() : resource.kind;
}

const createFtpClient = (): Client => createClient({ schemes: [ftp()], policy: anyAddress() });

describe("the client opens fewer connections after a server has refused one", () => {
  it.each(CONNECTION_REFUSALS)(
    "the client completes 30 simultaneous requests despite a limit of two connections: %s",
    async (_, refusal) => {
      await using server = await startLimitedServer(2, refusal);
      await using client = createFtpClient();
      const results = await Promise.all(Array.from({ length: 30 }, () => readFile(client, server.port)));
      expect(results).toEqual(Array.from({ length: 30 }, () => "hello"));
      // The client opens up to eight connections at once, and fewer after the refusal.
      expect(server.control.connections.length).toBeLessThan(20);
    },
  );
});

describe("the client reports a refusal of the server without a retry", () => {
  it.each<[string, ConnectionRefusal, string]>([
    [
      "the refusal of the only control connection",
      refuseWithReply("greeting", "421 too many users"),
      "unavailable",
    ],
    [
      "the refusal of the only data connection",
      refuseWithReply("EPSV", "425 Too many connections."),
      "unavailable",
    ],
    [
      "a refusal because of a wrong password",
      refuseWithReply("PASS", "530 Login incorrect, try again"),
      "authentication-required",
    ],
    [
      "a refusal because of too many wrong passwords",
      refuseWithReply("PASS", "530 Too many failed attempts"),
      "authentication-required",
    ],
  ])("the client reports %s without a retry", async (_, refusal, code) => {
    await using server = await startLimitedServer(0, refusal);
    await using client = createFtpClient();
    await expect(readFile(client, server.port)).rejects.toMatchObject({ code });
    expect(server.control.connections.length).toBe(1);
  });

  it("the client reports the refusal of a started upload, because its body cannot be read again", async () => {
    let uploads = 0;
    const STOR: ScriptedReply = (peer) => {
      uploads++;
      peer.send("150 go on\r\n426 Too many connections; transfer aborted.\r\n");
    };
    await using server = await startScriptedFtpServer({
      replies: { STOR },
      serveData: (peer) => peer.closed,
    });
    await using client = createFtpClient();
    const [first, second] = await Promise.allSettled(
      ["a", "b"].map((name) => client.put(`ftp://me:pw@127.0.0.1:${server.port}/${name}`, "content")),
    );
    expect([first, second]).toMatchObject([
      { reason: { code: "unavailable" } },
      { reason: { code: "unavailable" } },
    ]);
    expect(uploads).toBe(2);
  });
});

it.each([
  ["the signal of the caller", () => ({ signal: AbortSignal.timeout(50) })],
  ["callTimeoutMs", () => ({ limits: { callTimeoutMs: 50 } })],
])(
  "a request that %s ends before the greeting does not limit the connections to the server",
  async (_, createOptions) => {
    let greetings = 0;
    const areBothOpen = Promise.withResolvers<void>();
    await using server = await startScriptedServer(async (peer, connection) => {
      if (connection === 0) return peer.closed;
      // Each of the next two connections gets its greeting only when both are open.
      if (++greetings === 2) areBothOpen.resolve();
      await areBothOpen.promise;
      peer.send("554 no service\r\n");
    });
    await using client = createFtpClient();
    await expect(
      client.dereference(`ftp://127.0.0.1:${server.port}/a`, createOptions()),
    ).rejects.toMatchObject({
      code: "timeout",
    });
    await server.connections[0]?.closed;
    const next = Array.from({ length: 2 }, () => readFile(client, server.port));
    expect(await Promise.allSettled(next)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    expect(greetings).toBe(2);
  },
);
