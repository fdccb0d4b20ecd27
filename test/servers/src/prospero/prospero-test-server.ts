import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import type { TestServer } from "../test-servers/loopback-listener.ts";
import {
  encodeAcknowledgement,
  type ClientPacket,
  encodeNextReplyPackets,
  splitReplyIntoPacketBodies,
  parseClientPacket,
  type UnacknowledgedReply,
} from "./ardp-packets.ts";
import {
  replyToProsperoMessage,
  type ProsperoServerObjectsAndSettings,
} from "./reply-to-prospero-message.ts";
import { createServedProsperoObjects, type ProsperoObjects } from "./served-objects.ts";

/** Options of the Prospero test server. */
export interface ProsperoTestServerOptions {
  readonly objects: ProsperoObjects;
  /**
   * The host name of the server in Prospero replies. The default name is the server's address, with its port in
   * parentheses.
   */
  readonly serverName?: string;
  /**
   * The name below which the Prospero server has objects. By default, the Prospero server has objects below any name.
   */
  readonly servedNamePrefix?: string;
  /**
   * The folder to which names below `AFTP/` refer. The attributes of files in `anonymousFtpFolder` name an anonymous
   * FTP server. Default: none.
   */
  readonly anonymousFtpFolder?: string;
  /**
   * True when the server swaps the bytes of the connection id from the second window on, as the original
   * Prospero server does. Default true.
   */
  readonly swapsConnectionIdBytes?: boolean;
}

/**
 * The maximum number of Prospero replies that the server retains. Clients may request packets of a retained reply
 * again.
 */
const MAX_RETAINED_REPLIES = 256;
/** The maximum number of ARDP packets in one request. */
const MAX_REQUEST_PACKETS = 256;

interface ArdpExchange {
  readonly receivedPackets: Map<number, Buffer>;
  retainedReply: UnacknowledgedReply | undefined;
}

const loopbackAddress = "127.0.0.1";

/**
 * Starts a read-only Prospero directory server (protocol version 5) in this process, on a free UDP port of 127.0.0.1.
 * `receivedLines` of the server contains one text for each message of a client, with all its lines.
 */
export async function startProsperoTestServer(options: ProsperoTestServerOptions): Promise<TestServer> {
  const { swapsConnectionIdBytes = true } = options;
  const socket = createSocket("udp4");
  const receivedLines: string[] = [];
  const exchanges = new Map<string, ArdpExchange>();
  socket.bind(0, loopbackAddress);
  await once(socket, "listening");
  const { port } = socket.address();
  const site: ProsperoServerObjectsAndSettings = {
    servedObjects: createServedProsperoObjects(options.objects),
    serverName: options.serverName ?? `${loopbackAddress}(${port})`,
    servedNamePrefix: options.servedNamePrefix ?? "",
    anonymousFtpFolder: options.anonymousFtpFolder,
  };

  function findOrCreateExchange(key: string): ArdpExchange {
    const exchange = exchanges.get(key) ?? {
      receivedPackets: new Map<number, Buffer>(),
      retainedReply: undefined,
    };
    exchanges.set(key, exchange);
    const [oldest] = exchanges.keys();
    if (exchanges.size > MAX_RETAINED_REPLIES && oldest !== undefined) exchanges.delete(oldest);
    return exchange;
  }

  function answerPacket(packet: ClientPacket, exchange: ArdpExchange): Buffer[] {
    const { receivedPackets: gathered, retainedReply: reply } = exchange;
    if (packet.packetNumber === 0)
      return reply ? encodeNextReplyPackets(reply, packet.receivedThrough, swapsConnectionIdBytes) : [];
    if (reply) return encodeNextReplyPackets(reply, 0, swapsConnectionIdBytes);
    if (gathered.size < MAX_REQUEST_PACKETS) gathered.set(packet.packetNumber, packet.data);
    let through = 0;
    while (gathered.has(through + 1)) through++;
    if (through < packet.packetCount)
      return packet.requestsAcknowledgement ? [encodeAcknowledgement(packet.connectionId, through)] : [];
    const pieces = Array.from({ length: through }, (_, index) => gathered.get(index + 1) ?? Buffer.alloc(0));
    const message = Buffer.concat(pieces).toString("latin1");
    receivedLines.push(message);
    const text = Buffer.from(replyToProsperoMessage(message, site), "latin1");
    const id = Buffer.from(packet.connectionId);
    exchange.retainedReply = {
      connectionId: id,
      packetBodies: splitReplyIntoPacketBodies(text),
      windowSize: packet.windowSize,
      isFirstTransmission: true,
      lastSentPacket: 0,
    };
    return encodeNextReplyPackets(exchange.retainedReply, 0, swapsConnectionIdBytes);
  }

  socket.on("message", (bytes: Buffer, from: RemoteInfo) => {
    const packet = parseClientPacket(bytes);
    if (!packet) return;
    const key = `${from.address} ${from.port} ${packet.connectionId.toString("hex")}`;
    if (packet.cancelsRequest) {
      exchanges.delete(key);
      return;
    }
    for (const reply of answerPacket(packet, findOrCreateExchange(key)))
      socket.send(reply, from.port, from.address, () => undefined);
    // The server does not retain replies without a connection id, because it cannot distinguish their
    // requests.
    if (packet.connectionId.length === 0) exchanges.delete(key);
  });

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= new Promise((resolve) => socket.close(() => resolve())));
  return { address: loopbackAddress, port, receivedLines, stop, [Symbol.asyncDispose]: stop };
}
