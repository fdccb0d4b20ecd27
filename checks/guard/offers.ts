import type { Scheme } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { nntp, prospero } from "@anyscheme/scheme-others";
import { answerLines } from "./answer-lines.ts";
import { startDatagramServer } from "./datagram-server.ts";
import {
  type Command,
  ftpCommands,
  gopherCommands,
  nntpCommands,
  prosperoCommands,
} from "./wire-commands.ts";

/** A server that offers names, one in each entry of a list, and records what is then asked of it. */
export interface Offer {
  readonly port: number;
  /** The names that were asked for, one character an octet. */
  asked(): readonly string[];
  /** How many connections, or requests, there were. */
  count(): number;
  stop(): Promise<void>;
}

export interface OfferRow {
  readonly scheme: () => Scheme;
  readonly url: (port: number) => string;
  readonly offer: (names: readonly string[]) => Promise<Offer>;
  /** Octets in a name that make it none that is ever sent. */
  readonly refuses: (octet: number) => boolean;
}

const CRLF = "\r\n";
const isControl = (octet: number): boolean => octet < 0x20 || octet === 0x7f;

/** The arguments of these commands. */
function argumentsOf(commands: readonly Command[], verb: string, index: number): string[] {
  return commands.filter((command) => command[0] === verb).map((command) => command[index] ?? "");
}

async function offerByFtp(names: readonly string[]): Promise<Offer> {
  const list = names.map((name) => `type=file; ${name}${CRLF}`).join("");
  const data = await startScriptedServer((peer) => peer.send(list));
  const answers: Readonly<Record<string, string>> = {
    USER: "230 welcome",
    PWD: '257 "/"',
    TYPE: "200 set",
    EPSV: `229 extended passive (|||${data.port}|)`,
    MLSD: `150 here it comes${CRLF}226 done`,
    QUIT: "221 bye",
  };
  const server = await startScriptedServer(async (peer) => {
    peer.send(`220 ready${CRLF}`);
    await answerLines(peer, answers, "550 not here");
  });
  return {
    port: server.port,
    asked: () =>
      server.connections.flatMap(({ received }) =>
        argumentsOf(ftpCommands(received.toString("latin1")), "RETR", 1),
      ),
    count: () => server.connections.length,
    async stop() {
      await server.stop();
      await data.stop();
    },
  };
}

async function offerByGopher(names: readonly string[]): Promise<Offer> {
  const server = await startScriptedServer(async (peer, connection) => {
    await peer.line();
    if (connection > 0) return;
    peer.send(names.map((name) => `0x\t${name}\th.example\t${server.port}${CRLF}`).join(""));
  });
  return {
    port: server.port,
    asked: () =>
      server.connections
        .slice(1)
        .flatMap(({ received }) =>
          gopherCommands(received.toString("latin1")).map((fields) => fields.join("\t")),
        ),
    count: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function offerByNntp(names: readonly string[]): Promise<Offer> {
  const list = names.map((name) => `${name} 1 1 y${CRLF}`).join("");
  const server = await startScriptedServer(async (peer) => {
    peer.send(`200 ready${CRLF}`);
    await answerLines(peer, { LIST: `215 list${CRLF}${list}.` }, "500 what?");
  });
  return {
    port: server.port,
    asked: () =>
      server.connections.flatMap(({ received }) =>
        argumentsOf(nntpCommands(received.toString("latin1")), "GROUP", 1),
      ),
    count: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function offerByProspero(names: readonly string[]): Promise<Offer> {
  const reply = (id: Buffer, text: string): Buffer =>
    Buffer.concat([Buffer.of(3), id, Buffer.from(text, "latin1")]);
  const server = await startDatagramServer((message, id) => {
    if (!message.includes("\nLIST ")) return [reply(id, "FAILURE NOT-FOUND\n")];
    const links = names.map(
      (name) =>
        `LINK  L FILE x INTERNET-D h.example(${server.port}) ASCII '${name.replaceAll("'", "''")}' 0\n`,
    );
    return [reply(id, links.join(""))];
  });
  return {
    port: server.port,
    asked: () =>
      server.messages
        .slice(2)
        .flatMap((message) => argumentsOf(prosperoCommands(message), "GET-OBJECT-INFO", 3)),
    count: () => server.messages.length,
    stop: () => server.stop(),
  };
}

export const OFFERS: Readonly<Record<string, OfferRow>> = {
  "an FTP listing": {
    scheme: () => ftp({ idleMs: 0 }),
    url: (port) => `ftp://h.example:${port}/`,
    offer: offerByFtp,
    refuses: isControl,
  },
  "a Gopher menu": {
    scheme: () => gopher(),
    url: (port) => `gopher://h.example:${port}/1`,
    offer: offerByGopher,
    refuses: isControl,
  },
  "the groups of a news server": {
    scheme: () => nntp(),
    url: (port) => `nntp://h.example:${port}`,
    offer: offerByNntp,
    refuses: (octet) => !/[A-Za-z0-9.+_-]/.test(String.fromCharCode(octet)),
  },
  "a Prospero directory": {
    scheme: () => prospero(),
    url: (port) => `prospero://h.example:${port}/d`,
    offer: offerByProspero,
    refuses: isControl,
  },
};
