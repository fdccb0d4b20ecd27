import type { ClientLimits, Scheme } from "@anyscheme/core";
import type { Resolver } from "@anyscheme/core/plugin";
import { type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { prospero, telnet } from "@anyscheme/scheme-others";
import { startArdpServer } from "../servers/ardp-server.ts";
import type { StoppableServer } from "./limit-cases.ts";
import {
  connectToServiceAndReadOutput,
  type ResourceReader,
  dereferenceAndReadBodyOrEntries,
} from "./dereference-and-read.ts";

/** A test case: a timeout, and a server that never completes its response. */
export interface TimeoutTestCase {
  readonly limitName: keyof ClientLimits;
  readonly createScheme: () => Scheme;
  readonly startServer: () => Promise<StoppableServer>;
  readonly createUrl: (port: number) => string;
  readonly resolver?: Resolver;
  readonly dereferenceAndRead?: ResourceReader;
}

const unresolvedLookup = new Promise<never>(() => undefined);
const createScriptedServerStarter = (script: ServerScript) => (): Promise<StoppableServer> =>
  startScriptedServer(script);
const startSilentServer = createScriptedServerStarter((peer) => peer.closed);

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
    dereferenceAndRead: dereferenceAndReadBodyOrEntries,
  },
  {
    limitName: "bodyTimeoutMs",
    createScheme: http,
    startServer: createScriptedServerStarter(async (peer) => {
      await peer.readLine();
      peer.send("HTTP/1.1 200 OK\r\n\r\n");
      const client = { gone: false };
      void peer.closed.then(() => (client.gone = true));
      while (!client.gone) {
        peer.send("x");
        await new Promise(setImmediate);
      }
    }),
    createUrl: (port) => `http://127.0.0.1:${port}/`,
    dereferenceAndRead: dereferenceAndReadBodyOrEntries,
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
    dereferenceAndRead: connectToServiceAndReadOutput,
  },
];
