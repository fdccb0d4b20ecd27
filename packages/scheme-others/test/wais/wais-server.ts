import { type Client, createClient, type DereferenceOptions, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { percentEncode } from "@anyscheme/core/syntax";
import { type TestServer, startWaisTestServer } from "@anyscheme/servers";
import { expect } from "vitest";
import { encodeApduElements } from "../../src/wais/apdu/elements.ts";
import { encodeWaisMessage } from "../../src/wais/apdu/wais-message.ts";
import {
  wais,
  type WaisSearchResults,
  type WaisEntry,
  type WaisOptions,
  type WaisResource,
} from "../../src/wais/index.ts";

type WaisDereferenceOptions = DereferenceOptions & WaisOptions;

/** Creates a client that may connect to the given port. */
export function createWaisClient(port: number): Client<ReturnType<typeof wais>> {
  return createClient({ schemes: [wais()], policy: anyAddress({ allowPorts: { wais: [port] } }) });
}

/** Dereferences the URL of a path on the test server. */
export function dereferenceWaisPath(
  server: { readonly port: number },
  formatDocumentPath: string,
  options: WaisDereferenceOptions = {},
): Promise<WaisResource> {
  return createWaisClient(server.port).dereference(
    `wais://127.0.0.1:${server.port}/${formatDocumentPath}`,
    options,
  );
}

/** Dereferences the URL of a path, which must be a directory, and reads its entries. */
export async function dereferenceAndListWaisEntries(
  server: { readonly port: number },
  formatWaisPath: string,
  options?: WaisDereferenceOptions,
): Promise<WaisSearchResults & { readonly list: readonly WaisEntry[] }> {
  const resource = await dereferenceWaisPath(server, formatWaisPath, options);
  if (resource.kind !== "directory") throw new Error(`it is ${resource.kind}`);
  const list: WaisEntry[] = [];
  for await (const entry of resource) list.push(entry);
  return Object.assign(resource, { list });
}

/** Reads the body of a resource as Latin-1, and returns its completeness. */
export async function readBodyTextAndCompleteness(
  resource: WaisResource,
): Promise<[text: string, completeness: string]> {
  if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
  return [Buffer.from(await resource.bytes()).toString("latin1"), await resource.completeness];
}

/** Encodes a document-id as the test server and freeWAIS do. */
export function encodeTestDocumentId(server: string, database: string, localId: string): Buffer {
  return Buffer.concat([
    encodeApduElements([[1, server]]),
    encodeApduElements([[2, `db/${database}`]]),
    encodeApduElements([[3, localId]]),
    encodeApduElements([[4, server]]),
    encodeApduElements([[5, `db/${database}`]]),
    encodeApduElements([[6, localId]]),
    encodeApduElements([[7, 0]]),
  ]);
}

/** Returns the path of a document with the given id. */
export function formatWaisDocumentPath(database: string, type: string, id: Uint8Array): string {
  return `${database}/${type}/${percentEncode(id)}`;
}

/**
 * Starts a test server named `here:210` with one database `d` of texts. The keys of the given documents are their
 * local ids.
 */
export function startWaisServerWithTexts(
  texts: Readonly<Record<string, string | Uint8Array>>,
  score?: () => number,
): Promise<TestServer> {
  const documents = Object.entries(texts).map(([localId, text]) => ({
    headline: `the headline of ${localId}`,
    localId,
    contents: { TEXT: text },
  }));
  return startWaisTestServer({
    serverName: "here:210",
    databases: [{ name: "d", documents }],
    scoreDocument: score,
  });
}

/** Returns the path of a document of the test server. */
export function formatWaisTestDocumentPath(localId: string): string {
  return formatWaisDocumentPath("d", "TEXT", encodeTestDocumentId("here:210", "d", localId));
}

/** Starts a server that sends one message for each request. `end` defines the behaviour after the last message. */
export function startScriptedWaisServer(
  messages: readonly (Uint8Array | string)[],
  end: "close" | "reset" | "stay" = "stay",
): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    for (const message of messages) {
      if ((await readWaisRequestBytes(peer)) === undefined) return;
      peer.send(message);
    }
    if (end === "reset") peer.reset();
    if (end === "stay") await peer.closed;
  });
}

/** Reads the next request with its header. Returns `undefined` if the client has closed the connection. */
export async function readWaisRequestBytes(peer: ScriptedPeer): Promise<Buffer | undefined> {
  const header = await peer.readBytes(25);
  if (header.length < 25) return undefined;
  const rest = await peer.readBytes(Number(header.toString("latin1", 0, 10)));
  return Buffer.concat([header, rest]);
}

/** Encodes a message with a SearchResponse of the given records. */
export function encodeSearchResponse(...records: readonly Uint8Array[]): Buffer {
  const head = Buffer.from("000e17000000000000000000001b0100", "hex");
  return Buffer.from(
    encodeWaisMessage(Buffer.concat([head, encodeApduElements([[99, Buffer.concat(records)]])])),
  );
}

/** Encodes a record with text of a document. */
export function encodeTextRecord(text: string | Uint8Array): Uint8Array {
  return encodeApduElements([[153, encodeApduElements([[127, Buffer.from(text)]])]]);
}

/** Encodes a diagnostic record. */
export function encodeDiagnostic(code: string, text: string): Uint8Array {
  const length = text.length + 3;
  return Buffer.concat([
    Uint8Array.of(28, length >> 8, length & 0xff),
    Buffer.from(code + text, "latin1"),
    Uint8Array.of(1, 0x1d),
  ]);
}

/** Matches an error by its code and message. */
export function matchErrorWithCode(code: string, message?: RegExp): Error {
  const fields = message ? { code, message: expect.stringMatching(message) as string } : { code };
  return expect.objectContaining(fields) as Error;
}
