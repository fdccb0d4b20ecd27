import { type LoopbackServer, startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { replyByCommand } from "./reply-by-command.ts";
import { startArdpServer } from "./ardp-server.ts";

/** A server that replies until the client has sent all its commands, and records them. */
export interface Recorder extends AsyncDisposable {
  readonly port: number;
  /** Connections so far. */
  readonly connectionCount: number;
  /** Returns the bytes from this connection on, when all are closed. One character is one byte. */
  receivedSince(client: number): Promise<string>;
}

export type StartRecorder = () => Promise<Recorder>;

function toRecorder(server: LoopbackServer, stopAlso?: () => Promise<void>): Recorder {
  return {
    port: server.port,
    get connectionCount() {
      return server.connections.length;
    },
    async receivedSince(client) {
      const found = server.connections.slice(client);
      await Promise.all(found.map(({ closed }) => closed));
      return Buffer.concat(found.map(({ received }) => received)).toString("latin1");
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await stopAlso?.();
    },
  };
}

async function ftp(others: Readonly<Record<string, string>> = {}): Promise<Recorder> {
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
    await replyByCommand(peer, answers, "550 not here");
  });
  return toRecorder(server, () => data.stop());
}

async function nntp(): Promise<Recorder> {
  const server = await startScriptedServer(async (peer) => {
    peer.send("200 ready\r\n");
    await replyByCommand(
      peer,
      { GROUP: "211 1 1 1 a.group", QUIT: "205 bye", MODE: "200 ready" },
      "430 not here",
    );
  });
  return toRecorder(server);
}

/** Starts a server that requests a login before every command, even after a login. */
async function nntpLogin(): Promise<Recorder> {
  const server = await startScriptedServer(async (peer) => {
    peer.send("200 ready\r\n");
    for (let line = await peer.line(); line !== undefined; line = await peer.line())
      peer.send(line.startsWith("AUTHINFO USER") ? "381 and the password\r\n" : "480 who asks?\r\n");
  });
  return toRecorder(server);
}

async function http(head = "204 No Content"): Promise<Recorder> {
  const server = await startScriptedServer(async (peer) => {
    while (await peer.line());
    peer.send(`HTTP/1.1 ${head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  });
  return toRecorder(server);
}

const httpWithChallenge = (challenge: string): Promise<Recorder> =>
  http(`401 Who asks?\r\nwww-authenticate: ${challenge}`);

/** Closes after a complete message, or after a header that is not one. */
async function wais(): Promise<Recorder> {
  const server = await startScriptedServer(async (peer) => {
    const header = await peer.read(25);
    await peer.read(Number(header.toString("latin1", 0, 10)) || 0);
  });
  return toRecorder(server);
}

/**
 * Starts a server without objects. A request for object information counts as a connection. The recorded bytes are
 * messages without headers.
 */
async function prospero(): Promise<Recorder> {
  const server = await startArdpServer((_, id) => [
    Buffer.concat([Buffer.of(3), id, Buffer.from("FAILURE NOT-FOUND\n")]),
  ]);
  // Excludes retransmissions.
  const getReceivedTexts = (): string[] =>
    server.messages.filter((message, index) => message !== server.messages[index - 1]);
  const isFirst = (message: string): boolean => message.includes("\nGET-OBJECT-INFO ");
  return {
    port: server.port,
    get connectionCount() {
      return getReceivedTexts().filter(isFirst).length;
    },
    receivedSince(client) {
      const all = getReceivedTexts();
      const starts = [...all.keys()].filter((index) => isFirst(all[index] ?? ""));
      return Promise.resolve(all.slice(starts[client] ?? Infinity).join(""));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Starts a server that sends nothing and records the client's bytes. */
async function telnet(): Promise<Recorder> {
  return toRecorder(await startScriptedServer((peer) => peer.closed));
}

async function gopher(): Promise<Recorder> {
  return toRecorder(await startScriptedServer(async (peer) => void (await peer.line())));
}

export const RECORDERS = {
  ftp: () => ftp(),
  ftpAccount: () => ftp({ PASS: "332 the account", ACCT: "230 welcome" }),
  nntp,
  nntpLogin,
  http: () => http(),
  httpBasic: () => httpWithChallenge('Basic realm="r"'),
  httpDigest: () => httpWithChallenge('Digest realm="r", nonce="n", qop="auth"'),
  wais,
  prospero,
  telnet,
  gopher,
} satisfies Record<string, StartRecorder>;
