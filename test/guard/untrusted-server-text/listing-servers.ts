import type { Client, Resource, Scheme, Url } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherAttributesResource } from "@anyscheme/scheme-gopher";
import { nntp, prospero, wais } from "@anyscheme/scheme-others";
import { replyToEachCommand } from "../servers/reply-to-each-command.ts";
import { startArdpServer } from "../servers/ardp-server.ts";
import {
  type DecodedCommand,
  decodeFtpCommands,
  decodeGopherRequest,
  decodeNntpCommands,
  decodeProsperoRequest,
  decodeWaisMessages,
} from "../bytes/command-decoders.ts";

/** A server whose listing contains given names, and which records the names that a client requests. */
export interface RecordingListingServer {
  readonly port: number;
  /** Returns the names that the client requested, with one character per byte. */
  requestedNames(): readonly string[];
  /** Returns the number of connections that the server has accepted, or over UDP the number of requests. */
  requestCount(): number;
  stop(): Promise<void>;
}

/** A test case: a kind of listing, and a server that sends it. */
export interface ListedNameInjectionCase {
  readonly createScheme: () => Scheme;
  readonly createUrl: (port: number) => string;
  readonly startServer: (names: readonly string[]) => Promise<RecordingListingServer>;
  /** Returns true when the client must not request a name with the given byte. */
  readonly isRejectedNameByte: (byte: number) => boolean;
  /**
   * Returns the URLs of the names in a server's listing. The default function reads a directory resource and returns
   * the URLs of its entries.
   */
  readonly readUrls?: (resource: Resource) => Promise<readonly Url[]>;
}

/** Reads the entries of a directory, and returns their URLs. */
async function readEntryUrls(list: Resource): Promise<Url[]> {
  if (list.kind !== "directory") throw new Error(`the resource is a ${list.kind}`);
  const urls: Url[] = [];
  for await (const { url } of list) if (url) urls.push(url);
  return urls;
}

/** Dereferences the listing of a test server, and returns the URLs of the listed names. */
export async function readListingEntryUrls(
  row: ListedNameInjectionCase,
  client: Client,
  port: number,
): Promise<readonly Url[]> {
  const resource = await client.dereference(row.createUrl(port));
  return (row.readUrls ?? readEntryUrls)(resource);
}

const CRLF = "\r\n";
const isControlByte = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

/** Returns the argument at an index of each command with the given verb. */
function listCommandArguments(commands: readonly DecodedCommand[], verb: string, index: number): string[] {
  return commands.filter((command) => command[0] === verb).map((command) => command[index] ?? "");
}

async function startFtpListingServer(names: readonly string[]): Promise<RecordingListingServer> {
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
    await replyToEachCommand(peer, answers, "550 not here");
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections.flatMap(({ received }) =>
        listCommandArguments(decodeFtpCommands(received.toString("latin1")), "RETR", 1),
      ),
    requestCount: () => server.connections.length,
    async stop() {
      await server.stop();
      await data.stop();
    },
  };
}

async function startGopherMenuServer(names: readonly string[]): Promise<RecordingListingServer> {
  const server = await startScriptedServer(async (peer, connection) => {
    await peer.readLine();
    if (connection > 0) return;
    peer.send(names.map((name) => `0x\t${name}\th.example\t${server.port}${CRLF}`).join(""));
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections
        .slice(1)
        .flatMap(({ received }) =>
          decodeGopherRequest(received.toString("latin1")).map((fields) => fields.join("\t")),
        ),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function startGroupListServer(names: readonly string[]): Promise<RecordingListingServer> {
  const list = names.map((name) => `${name} 1 1 y${CRLF}`).join("");
  const server = await startScriptedServer(async (peer) => {
    peer.send(`200 ready${CRLF}`);
    await replyToEachCommand(peer, { LIST: `215 list${CRLF}${list}.` }, "500 what?");
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections.flatMap(({ received }) =>
        listCommandArguments(decodeNntpCommands(received.toString("latin1")), "GROUP", 1),
      ),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function startProsperoDirectoryServer(names: readonly string[]): Promise<RecordingListingServer> {
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
      server.receivedMessages
        .slice(2)
        .flatMap((message) => listCommandArguments(decodeProsperoRequest(message), "GET-OBJECT-INFO", 3)),
    requestCount: () => server.receivedMessages.length,
    stop: () => server.stop(),
  };
}

/** Starts a Gopher+ server with one item, whose views have the names. */
async function startGopherPlusViewServer(names: readonly string[]): Promise<RecordingListingServer> {
  const views = names.map((name) => ` ${name}: <1k>${CRLF}`).join("");
  const server = await startScriptedServer(async (peer, connection) => {
    await peer.readLine();
    if (connection > 0) return;
    peer.send(`+-1${CRLF}+INFO: 0x\t/x\th.example\t${server.port}\t+${CRLF}+VIEWS:${CRLF}${views}.${CRLF}`);
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections
        .slice(1)
        .flatMap(({ received }) => decodeGopherRequest(received.toString("latin1")))
        .map((fields) => fields.slice(1).join("\t").replace(/^\+/, ""))
        // Some tested bytes end a view name after its first letter. The test ignores requests for the view "n", which
        // is the rest of such a name.
        .filter((name) => name !== "n"),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

async function readViewUrls(resource: Resource): Promise<Url[]> {
  if (resource.kind !== "content") throw new Error(`the resource is a ${resource.kind}`);
  const attributes = await (resource as GopherAttributesResource).attributes();
  return attributes.views().flatMap(({ url }) => url ?? []);
}

/** Encodes a WAIS element: the tag, the length in seven bits per byte, and the content. */
function encodeWaisApduElement(tag: number, content: Buffer): Buffer {
  const compressed = (value: number): number[] =>
    value < 0x80 ? [value] : [...compressed(value >> 7).map((byte) => byte | 0x80), value & 0x7f];
  return Buffer.concat([Buffer.from([...compressed(tag), ...compressed(content.length)]), content]);
}

/** Starts a WAIS server whose search finds documents with the names as their ids. */
async function startWaisSearchServer(names: readonly string[]): Promise<RecordingListingServer> {
  const headers = names.map((name) =>
    encodeWaisApduElement(150, encodeWaisApduElement(116, Buffer.from(name, "latin1"))),
  );
  const head = Buffer.concat([Buffer.of(0, 11, 23), Buffer.alloc(10)]);
  const apdu = Buffer.concat([head, encodeWaisApduElement(99, Buffer.concat(headers))]);
  const server = await startScriptedServer(async (peer, connection) => {
    const header = await peer.readBytes(25);
    await peer.readBytes(Number(header.toString("latin1", 0, 10)));
    if (connection > 0) return;
    peer.send(`${String(apdu.length).padStart(10, "0")}z2wais        0`);
    peer.send(apdu);
  });
  return {
    port: server.port,
    requestedNames: () =>
      server.connections.slice(1).flatMap(({ received }) => {
        const [elements = []] = decodeWaisMessages(received.toString("latin1"));
        const at = elements.findIndex((each) => each.startsWith("44 un "));
        return elements[at + 1]?.replace(/^45 /, "") ?? [];
      }),
    requestCount: () => server.connections.length,
    stop: () => server.stop(),
  };
}

export const LISTING_SERVER_CASES: Readonly<Record<string, ListedNameInjectionCase>> = {
  "an FTP listing": {
    createScheme: () => ftp({ idleTimeoutMs: 0 }),
    createUrl: (port) => `ftp://h.example:${port}/`,
    startServer: startFtpListingServer,
    isRejectedNameByte: isControlByte,
  },
  "a Gopher menu": {
    createScheme: () => gopher(),
    createUrl: (port) => `gopher://h.example:${port}/1`,
    startServer: startGopherMenuServer,
    isRejectedNameByte: isControlByte,
  },
  "the groups of a news server": {
    createScheme: () => nntp(),
    createUrl: (port) => `nntp://h.example:${port}`,
    startServer: startGroupListServer,
    isRejectedNameByte: (byte) => !/[A-Za-z0-9.+_-]/.test(String.fromCharCode(byte)),
  },
  "the views of a Gopher+ item": {
    createScheme: () => gopher(),
    createUrl: (port) => `gopher://h.example:${port}/0/x%09%09!`,
    startServer: startGopherPlusViewServer,
    readUrls: readViewUrls,
    // In a list of Gopher+ views, a tab means a space, and a colon ends the name of a view.
    isRejectedNameByte: (byte) => isControlByte(byte) || byte === 0x3a || byte > 0x7f,
  },
  "the documents of a WAIS server": {
    createScheme: () => wais(),
    createUrl: (port) => `wais://h.example:${port}/d?w`,
    startServer: startWaisSearchServer,
    isRejectedNameByte: (byte) => byte === 0 || byte === 0x0a || byte === 0x0d,
  },
  "a Prospero directory": {
    createScheme: () => prospero(),
    createUrl: (port) => `prospero://h.example:${port}/d`,
    startServer: startProsperoDirectoryServer,
    isRejectedNameByte: isControlByte,
  },
};
