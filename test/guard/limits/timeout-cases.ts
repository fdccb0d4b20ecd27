import type { ClientLimits, Scheme } from "@anyscheme/core";
import type { Resolver } from "@anyscheme/core/plugin";
import { type ScriptedPeer, type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, prospero, telnet } from "@anyscheme/scheme-others";
import { startArdpServer } from "../servers/ardp-server.ts";
import type { StoppableServer } from "./limit-test-case.ts";
import {
  connectToServiceAndDrainOutput,
  type UrlDereferencer,
  dereferenceAndDrain,
  fetchAndDrainText,
} from "./dereference-and-drain.ts";

/** A test case: a timeout, and a server that never completes its response. */
export interface TimeoutTestCase {
  readonly limitName: keyof ClientLimits;
  readonly createScheme: () => Scheme;
  readonly startServer: () => Promise<StoppableServer>;
  readonly createUrl: (port: number) => string;
  readonly resolver?: Resolver;
  readonly dereferenceAndRead?: UrlDereferencer;
}

const unresolvedLookup = new Promise<never>(() => undefined);
const createScriptedServerStarter = (script: ServerScript) => (): Promise<StoppableServer> =>
  startScriptedServer(script);
/** Sends a text again and again until the client closes the connection. */
async function sendRepeatedly(peer: ScriptedPeer, text: string): Promise<void> {
  const client = { gone: false };
  void peer.closed.then(() => (client.gone = true));
  while (!client.gone) {
    peer.send(text);
    await new Promise(setImmediate);
  }
}

/** Returns a function that starts a server, which answers the first line with `head` and then repeats `repeated`. */
const createRepeatingServerStarter = (head: string, repeated: string): (() => Promise<StoppableServer>) =>
  createScriptedServerStarter(async (peer) => {
    await peer.readLine();
    peer.send(head);
    await sendRepeatedly(peer, repeated);
  });
const startSilentServer = createScriptedServerStarter((peer) => peer.closed);

/** Returns a function that starts a news server whose overview of a newsgroup never ends. */
const createNewsServerStarter = (): (() => Promise<StoppableServer>) =>
  createScriptedServerStarter(async (peer) => {
    peer.send("200 ready\r\n");
    const replies: Readonly<Record<string, string>> = { GROUP: "211 9 1 9 misc.test", OVER: "224 overview" };
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
      const [command = ""] = line.split(" ");
      const reply = replies[command] ?? "500 unknown command";
      peer.send(`${reply}\r\n`);
      if (reply.startsWith("224"))
        await sendRepeatedly(peer, "1\tsubject\tjoe@h.example\t\t<1@h.example>\t\t1\t1\r\n");
    }
  });

/** Starts an ARDP server that repeatedly tells the client to wait. */
const startQueueingServer = (): Promise<StoppableServer> =>
  startArdpServer((_, id) => [Buffer.from([11, ...id, 0, 0, 0, 0, 0, 1, 0xff, 0xff])]);

export const TIMEOUT_TEST_CASES: readonly TimeoutTestCase[] = [
  {
    limitName: "callTimeoutMs",
    createScheme: gopher,
    startServer: startSilentServer,
    createUrl: (port) => `gopher://127.0.0.1:${port}/0a`,
  },
  {
    limitName: "dnsTimeoutMs",
    createScheme: http,
    startServer: startSilentServer,
    createUrl: (port) => `http://h.example:${port}/`,
    resolver: () => unresolvedLookup,
  },
  {
    limitName: "connectTimeoutMs",
    createScheme: gophers,
    startServer: startSilentServer,
    createUrl: (port) => `gophers://127.0.0.1:${port}/0a`,
  },
  {
    limitName: "firstByteTimeoutMs",
    createScheme: http,
    startServer: startSilentServer,
    createUrl: (port) => `http://127.0.0.1:${port}/`,
  },
  {
    limitName: "idleTimeoutMs",
    createScheme: http,
    startServer: createScriptedServerStarter(async (peer) => {
      await peer.readLine();
      peer.send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
      await peer.closed;
    }),
    createUrl: (port) => `http://127.0.0.1:${port}/`,
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "bodyTimeoutMs",
    createScheme: http,
    startServer: createRepeatingServerStarter("HTTP/1.1 200 OK\r\n\r\n", "x"),
    createUrl: (port) => `http://127.0.0.1:${port}/`,
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "bodyTimeoutMs",
    createScheme: gopher,
    startServer: createRepeatingServerStarter("", "0a\ta\th.example\t70\r\n"),
    createUrl: (port) => `gopher://127.0.0.1:${port}/1`,
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "bodyTimeoutMs",
    createScheme: gopher,
    startServer: createRepeatingServerStarter("", "0a\ta\th.example\t70\r\n"),
    createUrl: (port) => `gopher://127.0.0.1:${port}/1`,
    dereferenceAndRead: fetchAndDrainText,
  },
  {
    limitName: "bodyTimeoutMs",
    createScheme: nntp,
    startServer: createNewsServerStarter(),
    createUrl: (port) => `nntp://127.0.0.1:${port}/misc.test`,
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxProsperoWaitMs",
    createScheme: prospero,
    startServer: startQueueingServer,
    createUrl: (port) => `prospero://127.0.0.1:${port}/x`,
  },
  {
    limitName: "interactiveIdleTimeoutMs",
    createScheme: telnet,
    startServer: startSilentServer,
    createUrl: (port) => `telnet://127.0.0.1:${port}/`,
    dereferenceAndRead: connectToServiceAndDrainOutput,
  },
];
