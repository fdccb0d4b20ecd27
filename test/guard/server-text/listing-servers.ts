import type { Client, Resource, Scheme, Url } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherAttributesResource } from "@anyscheme/scheme-gopher";
import { nntp, prospero, wais } from "@anyscheme/scheme-others";
import { replyByCommand } from "../servers/reply-by-command.ts";
import { startArdpServer } from "../servers/ardp-server.ts";
import {
  type Command,
  ftpCommands,
  gopherCommands,
  nntpCommands,
  prosperoCommands,
  waisCommands,
} from "../bytes/wire-commands.ts";

/** A server whose listing has these names, and which records the requests for them. */
export interface ListingServer {
  readonly port: number;
  /** The requested names, one character per byte. */
  requestedNames(): readonly string[];
  /** Returns the number of connections, or of requests over UDP. */
  requestCount(): number;
  stop(): Promise<void>;
}

export interface ListingRow {
  readonly scheme: () => Scheme;
  readonly url: (port: number) => string;
  readonly start: (names: readonly string[]) => Promise<ListingServer>;
  /** True for bytes with which a name cannot be sent. */
  readonly refuses: (byte: number) => boolean;
  /** Returns the URLs of the names. Default: those of the entries of a directory. */
  readonly urls?: (resource: Resource) => Promise<readonly Url[]>;
}

/** Returns the URLs of the entries of a directory. */
async function entryUrls(list: Resource): Promise<Url[]> {
  if (list.kind !== "directory") throw new Error(`it is a ${list.kind}`);
  const urls: Url[] = [];
  for await (const { url } of list) if (url) urls.push(url);
  return urls;
}

/** Dereferences the listing and returns its URLs. */
export async function listedUrls(row: ListingRow, client: Client, port: number): Promise<readonly Url[]> {
  const resource = await client.dereference(row.url(port));
  return (row.urls ?? entryUrls)(resource);
}

const CRLF = "\r\n";
const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

/** Returns an argument of each command with this verb. */
function argumentsFor(commands: readonly Command[], verb: string, index: number): string[] {
  return commands.filter((command) => command[0] === verb).map((command) => command[index] ?? "");
}

async function startFtpListing(names: readonly string[]): Promise<ListingServer> {
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
    await replyByCommand(peer, answers, "550 not here");
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections.flatMap(({ received }) =>
        argumentsFor(ftpCommands(received.toString("latin1")), "RETR", 1),
      ),
    requestCount: () => server.connections.length,
    async stop() {
      await server.stop();
      await data.stop();
    },
  };
}

async function startGopherMenu(names: readonly string[]): Promise<ListingServer> {
  const server = await startScriptedServer(async (peer, connection) => {
    await peer.line();
    if (connection > 0) return;
    peer.send(names.map((name) => `0x\t${name}\th.example\t${server.port}${CRLF}`).join(""));
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections
        .slice(1)
        .flatMap(({ received }) =>
          gopherCommands(received.toString("latin1")).map((fields) => fields.join("\t")),
        ),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function startGroupList(names: readonly string[]): Promise<ListingServer> {
  const list = names.map((name) => `${name} 1 1 y${CRLF}`).join("");
  const server = await startScriptedServer(async (peer) => {
    peer.send(`200 ready${CRLF}`);
    await replyByCommand(peer, { LIST: `215 list${CRLF}${list}.` }, "500 what?");
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections.flatMap(({ received }) =>
        argumentsFor(nntpCommands(received.toString("latin1")), "GROUP", 1),
      ),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function startProsperoDirectory(names: readonly string[]): Promise<ListingServer> {
  const reply = (id: Buffer, text: string): Buffer =>
    Buffer.concat([Buffer.of(3), id, Buffer.from(text, "latin1")]);
  const server = await startArdpServer((message, id) => {
    if (!message.includes("\nLIST ")) return [reply(id, "FAILURE NOT-FOUND\n")];
    const links = names.map(
      (name) =>
        `LINK  L FILE x INTERNET-D h.example(${server.port}) ASCII '${name.replaceAll("'", "''")}' 0\n`,
    );
    return [reply(id, links.join(""))];
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.messages
        .slice(2)
        .flatMap((message) => argumentsFor(prosperoCommands(message), "GET-OBJECT-INFO", 3)),
    requestCount: () => server.messages.length,
    stop: () => server.stop(),
  };
}

/** Starts a server with views of an item, which are requested by name. */
async function startGopherPlusViews(names: readonly string[]): Promise<ListingServer> {
  const views = names.map((name) => ` ${name}: <1k>${CRLF}`).join("");
  const server = await startScriptedServer(async (peer, connection) => {
    await peer.line();
    if (connection > 0) return;
    peer.send(`+-1${CRLF}+INFO: 0x\t/x\th.example\t${server.port}\t+${CRLF}+VIEWS:${CRLF}${views}.${CRLF}`);
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections
        .slice(1)
        .flatMap(({ received }) => gopherCommands(received.toString("latin1")))
        .map((fields) => fields.slice(1).join("\t").replace(/^\+/, ""))
        // Excludes the first part of a name that the byte splits.
        .filter((name) => name !== "n"),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function viewUrls(resource: Resource): Promise<Url[]> {
  if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
  const attributes = await (resource as GopherAttributesResource).attributes();
  return attributes.views().flatMap(({ url }) => url ?? []);
}

/** Encodes a tag, a length in seven bits per byte, and the content. */
function encodeElement(tag: number, content: Buffer): Buffer {
  const compressed = (value: number): number[] =>
    value < 0x80 ? [value] : [...compressed(value >> 7).map((byte) => byte | 0x80), value & 0x7f];
  return Buffer.concat([Buffer.from([...compressed(tag), ...compressed(content.length)]), content]);
}

/** Starts a server with documents found by a search, with the names as their ids. */
async function startWaisSearch(names: readonly string[]): Promise<ListingServer> {
  const headers = names.map((name) => encodeElement(150, encodeElement(116, Buffer.from(name, "latin1"))));
  const head = Buffer.concat([Buffer.of(0, 11, 23), Buffer.alloc(10)]);
  const apdu = Buffer.concat([head, encodeElement(99, Buffer.concat(headers))]);
  const server = await startScriptedServer(async (peer, connection) => {
    const header = await peer.read(25);
    await peer.read(Number(header.toString("latin1", 0, 10)));
    if (connection > 0) return;
    peer.send(`${String(apdu.length).padStart(10, "0")}z2wais        0`);
    peer.send(apdu);
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections.slice(1).flatMap(({ received }) => {
        const [elements = []] = waisCommands(received.toString("latin1"));
        const at = elements.findIndex((each) => each.startsWith("44 un "));
        return elements[at + 1]?.replace(/^45 /, "") ?? [];
      }),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

export const LISTINGS: Readonly<Record<string, ListingRow>> = {
  "an FTP listing": {
    scheme: () => ftp({ idleTimeoutMs: 0 }),
    url: (port) => `ftp://h.example:${port}/`,
    start: startFtpListing,
    refuses: isControl,
  },
  "a Gopher menu": {
    scheme: () => gopher(),
    url: (port) => `gopher://h.example:${port}/1`,
    start: startGopherMenu,
    refuses: isControl,
  },
  "the groups of a news server": {
    scheme: () => nntp(),
    url: (port) => `nntp://h.example:${port}`,
    start: startGroupList,
    refuses: (byte) => !/[A-Za-z0-9.+_-]/.test(String.fromCharCode(byte)),
  },
  "the views of a Gopher+ item": {
    scheme: () => gopher(),
    url: (port) => `gopher://h.example:${port}/0/x%09%09!`,
    start: startGopherPlusViews,
    urls: viewUrls,
    // A tab in this listing means a space, and a colon ends the name.
    refuses: (byte) => isControl(byte) || byte === 0x3a || byte > 0x7f,
  },
  "the documents of a WAIS server": {
    scheme: () => wais(),
    url: (port) => `wais://h.example:${port}/d?w`,
    start: startWaisSearch,
    refuses: (byte) => byte === 0 || byte === 0x0a || byte === 0x0d,
  },
  "a Prospero directory": {
    scheme: () => prospero(),
    url: (port) => `prospero://h.example:${port}/d`,
    start: startProsperoDirectory,
    refuses: isControl,
  },
};
