import type { ClientLimits, Scheme } from "@anyscheme/core";
import type { Resolver } from "@anyscheme/core/plugin";
import { type Script, startScriptedServer } from "@anyscheme/core/testing";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { prospero, telnet } from "@anyscheme/scheme-others";
import { startArdpServer } from "../servers/ardp-server.ts";
import type { LimitServer } from "./limit-rows.ts";
import { readService, type ReadResource, readWhole } from "./read-resource.ts";

/** A timeout, and a server that never finishes. */
export interface TimeRow {
  readonly limit: keyof ClientLimits;
  readonly scheme: () => Scheme;
  readonly serve: () => Promise<LimitServer>;
  readonly url: (port: number) => string;
  readonly resolver?: Resolver;
  readonly read?: ReadResource;
}

const never = new Promise<never>(() => undefined);
const startWithScript = (script: Script) => (): Promise<LimitServer> => startScriptedServer(script);
const startSilentServer = startWithScript((peer) => peer.closed);

/** Sends only "wait" packets. */
const startQueueingServer = (): Promise<LimitServer> =>
  startArdpServer((_, id) => [Buffer.from([11, ...id, 0, 0, 0, 0, 0, 1, 0xff, 0xff])]);

export const TIME_ROWS: readonly TimeRow[] = [
  {
    limit: "callTimeoutMs",
    scheme: gopher,
    serve: startSilentServer,
    url: (port) => `gopher://127.0.0.1:${port}/0a`,
  },
  {
    limit: "dnsTimeoutMs",
    scheme: http,
    serve: startSilentServer,
    url: (port) => `http://h.example:${port}/`,
    resolver: () => never,
  },
  {
    limit: "connectTimeoutMs",
    scheme: gophers,
    serve: startSilentServer,
    url: (port) => `gophers://127.0.0.1:${port}/0a`,
  },
  {
    limit: "firstByteTimeoutMs",
    scheme: http,
    serve: startSilentServer,
    url: (port) => `http://127.0.0.1:${port}/`,
  },
  {
    limit: "idleTimeoutMs",
    scheme: http,
    serve: startWithScript(async (peer) => {
      await peer.line();
      peer.send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
      await peer.closed;
    }),
    url: (port) => `http://127.0.0.1:${port}/`,
    read: readWhole,
  },
  {
    limit: "bodyTimeoutMs",
    scheme: http,
    serve: startWithScript(async (peer) => {
      await peer.line();
      peer.send("HTTP/1.1 200 OK\r\n\r\n");
      const client = { gone: false };
      void peer.closed.then(() => (client.gone = true));
      while (!client.gone) {
        peer.send("x");
        await new Promise(setImmediate);
      }
    }),
    url: (port) => `http://127.0.0.1:${port}/`,
    read: readWhole,
  },
  {
    limit: "maxProsperoWaitMs",
    scheme: prospero,
    serve: startQueueingServer,
    url: (port) => `prospero://127.0.0.1:${port}/x`,
  },
  {
    limit: "sessionIdleTimeoutMs",
    scheme: telnet,
    serve: startSilentServer,
    url: (port) => `telnet://127.0.0.1:${port}/`,
    read: readService,
  },
];
