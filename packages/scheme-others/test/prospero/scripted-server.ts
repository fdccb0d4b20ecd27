import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readCapturedReplyDatagrams } from "./read-capture.ts";

/** A received request, which the server passes to its handler. */
export interface ProsperoTestRequest {
  /** The command lines of the request, with one character per byte. */
  readonly commandLines: string;
  readonly message: string;
  /** The connection id. */
  readonly connectionId: Buffer;
  /** The number of requests that the server received earlier. */
  readonly earlierRequestCount: number;
}

/**
 * Returns the datagrams with which the server replies to a request. The server waits for an acknowledgement after each
 * datagram that requests it.
 */
export type ProsperoRequestHandler = (request: ProsperoTestRequest) => readonly Buffer[];

export interface ScriptedProsperoServer extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
  readonly requests: readonly ProsperoTestRequest[];
  /** The headers of all received packets in hexadecimal, without connection ids. */
  readonly packetHeaders: readonly string[];
  stop(): Promise<void>;
}

/** Starts a server that replies as a request handler defines, for replies that the test server never sends. */
export async function startScriptedProsperoServer(
  handleRequest: ProsperoRequestHandler,
  address = "127.0.0.1",
): Promise<ScriptedProsperoServer> {
  const socket = createSocket("udp4");
  const requests: ProsperoTestRequest[] = [];
  const headers: string[] = [];
  let waiting: Buffer[] = [];
  socket.on("message", (bytes, from) => {
    const header = bytes.subarray(0, bytes[0]);
    headers.push(`${header.toString("hex", 0, 1)} ${header.toString("hex", 3)}`);
    const connectionId = header.subarray(1, 3);
    const isRequest = header.readUInt16BE(3) > 0;
    if (isRequest) {
      const message = bytes.subarray(bytes[0]).toString("latin1");
      const commandLines = message.split("\n").slice(2, -1).join("; ");
      const request = { commandLines, message, connectionId, earlierRequestCount: requests.length };
      requests.push(request);
      waiting = [...handleRequest(request)];
    }
    // The server does not reply to a cancel packet.
    if (header[12] === 1) waiting = [];
    while (waiting.length > 0) {
      const [next = Buffer.alloc(0), ...later] = waiting;
      waiting = later;
      socket.send(next, from.port, from.address, () => undefined);
      if (next[0] === 12) break;
    }
  });
  socket.bind(0, address);
  await once(socket, "listening");
  const stop = (): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
  return {
    address,
    port: socket.address().port,
    requests,
    packetHeaders: headers,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Encodes a reply as a single ARDP packet. */
export function encodeReplyInOnePacket(text: string, { connectionId: id }: ProsperoTestRequest): Buffer[] {
  return [Buffer.concat([Buffer.from([3, ...id]), Buffer.from(text, "latin1")])];
}

/** Encodes a reply as ARDP packets with at most `size` bytes of data each. */
export function encodeReplyInPackets(
  text: string,
  { connectionId: id }: ProsperoTestRequest,
  size: number,
): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  const total = Math.max(1, Math.ceil(bytes.length / size));
  return Array.from({ length: total }, (_, index) =>
    Buffer.concat([
      Buffer.from([7, ...id, (index + 1) >> 8, (index + 1) & 0xff, total >> 8, total & 0xff]),
      bytes.subarray(index * size, (index + 1) * size),
    ]),
  );
}

/**
 * Returns a captured reply with the connection id of this request. Where the
 * captured reply has the id with swapped bytes, the returned reply has the new id with swapped bytes.
 */
export function createReplyFromCapture(name: string, { connectionId: id }: ProsperoTestRequest): Buffer[] {
  const replies = readCapturedReplyDatagrams(name);
  const first = replies[0]?.subarray(1, 3) ?? id;
  return replies.map((reply) => {
    const own = reply.subarray(1, 3).equals(first) ? id : Buffer.from(id.toReversed());
    return Buffer.concat([reply.subarray(0, 1), own, reply.subarray(3)]);
  });
}

/** Creates a request handler that selects a captured reply by the beginning of the command. */
export function createCaptureHandlerByCommand(
  names: Readonly<Record<string, string>>,
): ProsperoRequestHandler {
  return (request) => {
    const [, name] =
      Object.entries(names).find(([command]) => request.commandLines.startsWith(command)) ?? [];
    return name === undefined
      ? encodeReplyInOnePacket("FAILURE NOT-FOUND\n", request)
      : createReplyFromCapture(name, request);
  };
}

/** Creates a request handler that selects a reply by the beginning of the command. Default: not found. */
export const createProsperoReplyHandler =
  (replies: Readonly<Record<string, string>>): ProsperoRequestHandler =>
  (request) => {
    const [, reply = "FAILURE NOT-FOUND\n"] =
      Object.entries(replies).find(([command]) => request.commandLines.startsWith(command)) ?? [];
    return encodeReplyInOnePacket(reply, request);
  };
