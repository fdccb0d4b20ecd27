import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { readRequestHead } from "../test-client.ts";

export const EMPTY_BODY_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/** Reads the body of a request according to its framing. Resolves to the body as it was sent, with its framing. */
export async function readRawRequestBody(peer: ScriptedPeer, head: readonly string[]): Promise<Buffer> {
  const length = head.find((line) => line.startsWith("content-length: "))?.slice(16);
  if (length !== undefined) return peer.readBytes(Number(length));
  if (!head.includes("transfer-encoding: chunked")) return Buffer.alloc(0);
  const parts: Buffer[] = [];
  for (let size = 1; size > 0;) {
    const line = (await peer.readLine()) ?? "0";
    size = parseInt(line, 16);
    parts.push(Buffer.from(`${line}\r\n`), await peer.readBytes(size + 2));
  }
  return Buffer.concat(parts);
}

/** Starts a server that reads a request with its body, and then responds. */
export function startBodyReadingServer(
  respond: (head: readonly string[], connection: number) => string = () => EMPTY_BODY_RESPONSE,
): Promise<LoopbackServer> {
  return startScriptedServer(async (peer, connection) => {
    for (let head = await readRequestHead(peer); head.length > 0; head = await readRequestHead(peer)) {
      await readRawRequestBody(peer, head);
      peer.send(respond(head, connection));
    }
  });
}

/** Returns the head and the body that a server has received on a connection. */
export function getReceivedHeadAndBody(
  { connections }: LoopbackServer,
  index = 0,
): { head: string; body: string } {
  const text = connections[index]?.received.toString("latin1") ?? "";
  const end = text.indexOf("\r\n\r\n") + 4;
  return { head: text.slice(0, end), body: text.slice(end) };
}

export function createByteStreamFromTexts(...texts: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });
}
