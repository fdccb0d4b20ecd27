import { type LoopbackServer, startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { replyToEachCommand } from "./reply-to-each-command.ts";
import { startArdpServer } from "./ardp-server.ts";

/** A server that answers the client until the client has sent all its commands, and records the commands. */
export interface RecordingServer extends AsyncDisposable {
  readonly port: number;
  /** The number of connections since the start of the server. */
  readonly connectionCount: number;
  /**
   * Waits until all connections are closed, and returns the bytes received since the connection with the given index.
   * In the returned string, one character is one byte.
   */
  receivedSinceConnection(connectionIndex: number): Promise<string>;
}

export type StartRecordingServer = () => Promise<RecordingServer>;

function createRecordingServer(server: LoopbackServer, stopAlso?: () => Promise<void>): RecordingServer {
  return {
    port: server.port,
    get connectionCount() {
      return server.connections.length;
    },
    async receivedSinceConnection(connectionIndex) {
      const found = server.connections.slice(connectionIndex);
      await Promise.all(found.map(({ closed }) => closed));
      return Buffer.concat(found.map(({ received }) => received)).toString("latin1");
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await stopAlso?.();
    },
  };
}

async function startFtpRecordingServer(
  others: Readonly<Record<string, string>> = {},
): Promise<RecordingServer> {
  const data = await startForbiddenServer();
  const answers = {
    USER: "331 the password",
    PASS: "230 welcome",
    PWD: '257 "/home"',
    CWD: "250 changed",
    TYPE: "200 set",
    EPSV: `229 extended passive (|||${data.port}|)`,
    RNFR: "350 and to",
    QUIT: "221 bye",
    ...others,
  };
  const server = await startScriptedServer(async (peer) => {
    peer.send("220 ready\r\n");
    await replyToEachCommand(peer, answers, "550 not here");
  });
  return createRecordingServer(server, () => data.stop());
}

async function startNntpRecordingServer(): Promise<RecordingServer> {
  const server = await startScriptedServer(async (peer) => {
    peer.send("200 ready\r\n");
    await replyToEachCommand(
      peer,
      { GROUP: "211 1 1 1 a.group", QUIT: "205 bye", MODE: "200 ready" },
      "430 not here",
    );
  });
  return createRecordingServer(server);
}

/** Starts an NNTP server that requests a login before every command, even after a login. */
async function startNntpLoginRecordingServer(): Promise<RecordingServer> {
  const server = await startScriptedServer(async (peer) => {
    peer.send("200 ready\r\n");
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
      peer.send(line.startsWith("AUTHINFO USER") ? "381 and the password\r\n" : "480 who asks?\r\n");
  });
  return createRecordingServer(server);
}

async function startHttpRecordingServer(head = "204 No Content"): Promise<RecordingServer> {
  const server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send(`HTTP/1.1 ${head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  });
  return createRecordingServer(server);
}

const startHttpLoginRecordingServer = (challenge: string): Promise<RecordingServer> =>
  startHttpRecordingServer(`401 Who asks?\r\nwww-authenticate: ${challenge}`);

/** Starts a WAIS server that closes the connection after one message. */
async function startWaisRecordingServer(): Promise<RecordingServer> {
  const server = await startScriptedServer(async (peer) => {
    const header = await peer.readBytes(25);
    await peer.readBytes(Number(header.toString("latin1", 0, 10)) || 0);
  });
  return createRecordingServer(server);
}

/**
 * Starts a Prospero server without objects. Each request for object information counts as a connection. The recorded
 * bytes are Prospero messages without ARDP headers.
 */
async function startProsperoRecordingServer(): Promise<RecordingServer> {
  const server = await startArdpServer((_, id) => [
    Buffer.concat([Buffer.of(3), id, Buffer.from("FAILURE NOT-FOUND\n")]),
  ]);
  // A message that equals the previous one is a retransmission, and is excluded.
  const getReceivedTexts = (): string[] =>
    server.receivedMessages.filter((message, index) => message !== server.receivedMessages[index - 1]);
  const isFirst = (message: string): boolean => message.includes("\nGET-OBJECT-INFO ");
  return {
    port: server.port,
    get connectionCount() {
      return getReceivedTexts().filter(isFirst).length;
    },
    receivedSinceConnection(connectionIndex) {
      const all = getReceivedTexts();
      const starts = [...all.keys()].filter((index) => isFirst(all[index] ?? ""));
      return Promise.resolve(all.slice(starts[connectionIndex] ?? Infinity).join(""));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Starts a Telnet server that sends nothing, and records the bytes of the client. */
async function startTelnetRecordingServer(): Promise<RecordingServer> {
  return createRecordingServer(await startScriptedServer((peer) => peer.closed));
}

async function startGopherRecordingServer(): Promise<RecordingServer> {
  return createRecordingServer(await startScriptedServer(async (peer) => void (await peer.readLine())));
}

export const RECORDING_SERVER_STARTERS = {
  ftp: () => startFtpRecordingServer(),
  ftpAccount: () => startFtpRecordingServer({ PASS: "332 the account", ACCT: "230 welcome" }),
  nntp: startNntpRecordingServer,
  nntpLogin: startNntpLoginRecordingServer,
  http: () => startHttpRecordingServer(),
  httpBasic: () => startHttpLoginRecordingServer('Basic realm="r"'),
  httpDigest: () => startHttpLoginRecordingServer('Digest realm="r", nonce="n", qop="auth"'),
  wais: startWaisRecordingServer,
  prospero: startProsperoRecordingServer,
  telnet: startTelnetRecordingServer,
  gopher: startGopherRecordingServer,
} satisfies Record<string, StartRecordingServer>;
