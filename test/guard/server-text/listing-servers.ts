import type { Client, Resource, Scheme, Url } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherAttributesResource } from "@anyscheme/scheme-gopher";
import { nntp, prospero, wais } from "@anyscheme/scheme-others";
import { answerLines } from "../servers/reply-by-command.ts";
import { startDatagramServer } from "../servers/ardp-server.ts";
import {
  type Command,
  ftpCommands,
  gopherCommands,
  nntpCommands,
  prosperoCommands,
  waisCommands,
} from "../bytes/wire-commands.ts";

/** A server that offers names, one in each entry of a list, and records what is then asked of it. */
export interface Offer {
  readonly port: number;
  /** The names that were asked for, one character a byte. */
  asked(): readonly string[];
  /** How many connections, or requests, there were. */
  count(): number;
  stop(): Promise<void>;
}

export interface OfferRow {
  readonly scheme: () => Scheme;
  readonly url: (port: number) => string;
  readonly offer: (names: readonly string[]) => Promise<Offer>;
  /** Bytes in a name that make it none that is ever sent. */
  readonly refuses: (byte: number) => boolean;
  /** The URLs that lead to what was offered. Default: those of the entries of a directory. */
  readonly urls?: (resource: Resource) => Promise<readonly Url[]>;
}

/** The URLs of the entries of a directory. */
async function entryUrls(list: Resource): Promise<Url[]> {
  if (list.kind !== "directory") throw new Error(`it is a ${list.kind}`);
  const urls: Url[] = [];
  for await (const { url } of list) if (url) urls.push(url);
  return urls;
}

/** The URLs that an offer is told by. */
export async function offeredUrls(row: OfferRow, client: Client, port: number): Promise<readonly Url[]> {
  const resource = await client.dereference(row.url(port));
  return (row.urls ?? entryUrls)(resource);
}

const CRLF = "\r\n";
const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

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

/** Views of an item, which are asked for by their names. */
async function offerByGopherPlus(names: readonly string[]): Promise<Offer> {
  const views = names.map((name) => ` ${name}: <1k>${CRLF}`).join("");
  const server = await startScriptedServer(async (peer, connection) => {
    await peer.line();
    if (connection > 0) return;
    peer.send(`+-1${CRLF}+INFO: 0x\t/x\th.example\t${server.port}\t+${CRLF}+VIEWS:${CRLF}${views}.${CRLF}`);
  });
  return {
    port: server.port,
    asked: () =>
      server.connections
        .slice(1)
        .flatMap(({ received }) => gopherCommands(received.toString("latin1")))
        .map((fields) => fields.slice(1).join("\t").replace(/^\+/, ""))
        // What stands before the end of a name that ends early.
        .filter((name) => name !== "n"),
    count: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function viewUrls(resource: Resource): Promise<Url[]> {
  if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
  const attributes = await (resource as GopherAttributesResource).attributes();
  return attributes.views().flatMap(({ url }) => url ?? []);
}

/** A tag and a length of seven bits a byte, and so many bytes. */
function element(tag: number, content: Buffer): Buffer {
  const compressed = (value: number): number[] =>
    value < 0x80 ? [value] : [...compressed(value >> 7).map((byte) => byte | 0x80), value & 0x7f];
  return Buffer.concat([Buffer.from([...compressed(tag), ...compressed(content.length)]), content]);
}

/** Documents that a search has found; their ids are what their server knows them by. */
async function offerByWais(names: readonly string[]): Promise<Offer> {
  const headers = names.map((name) => element(150, element(116, Buffer.from(name, "latin1"))));
  const head = Buffer.concat([Buffer.of(0, 11, 23), Buffer.alloc(10)]);
  const apdu = Buffer.concat([head, element(99, Buffer.concat(headers))]);
  const server = await startScriptedServer(async (peer, connection) => {
    const header = await peer.read(25);
    await peer.read(Number(header.toString("latin1", 0, 10)));
    if (connection > 0) return;
    peer.send(`${String(apdu.length).padStart(10, "0")}z2wais        0`);
    peer.send(apdu);
  });
  return {
    port: server.port,
    asked: () =>
      server.connections.slice(1).flatMap(({ received }) => {
        const [elements = []] = waisCommands(received.toString("latin1"));
        const at = elements.findIndex((each) => each.startsWith("44 un "));
        return elements[at + 1]?.replace(/^45 /, "") ?? [];
      }),
    count: () => server.connections.length,
    stop: () => server.stop(),
  };
}

export const OFFERS: Readonly<Record<string, OfferRow>> = {
  "an FTP listing": {
    scheme: () => ftp({ idleTimeoutMs: 0 }),
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
    refuses: (byte) => !/[A-Za-z0-9.+_-]/.test(String.fromCharCode(byte)),
  },
  "the views of a Gopher+ item": {
    scheme: () => gopher(),
    url: (port) => `gopher://h.example:${port}/0/x%09%09!`,
    offer: offerByGopherPlus,
    urls: viewUrls,
    // A tab stands for a blank there, as a colon for the end of the name.
    refuses: (byte) => isControl(byte) || byte === 0x3a || byte > 0x7f,
  },
  "the documents of a WAIS server": {
    scheme: () => wais(),
    url: (port) => `wais://h.example:${port}/d?w`,
    offer: offerByWais,
    refuses: (byte) => byte === 0 || byte === 0x0a || byte === 0x0d,
  },
  "a Prospero directory": {
    scheme: () => prospero(),
    url: (port) => `prospero://h.example:${port}/d`,
    offer: offerByProspero,
    refuses: isControl,
  },
};
