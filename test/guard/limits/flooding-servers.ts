import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { startScriptedServer } from "@anyscheme/core/testing";
import { replyToEachCommand } from "../servers/reply-to-each-command.ts";
import type { StoppableServer } from "./limit-test-case.ts";

export const BYTES_PER_MIB = 1_048_576;

/** The bytes that a flooding server repeats, and the total number of bytes. */
export interface FloodingServerOptions {
  readonly repeatedBytes: Buffer;
  readonly totalBytes: number;
  /** Measures the used memory. The flooding server measures the memory regularly while it sends the bytes. */
  readonly sampleMemory: () => void;
}

/** The number of datagrams that the server sends between two memory measurements. */
const DATAGRAMS_PER_MEMORY_SAMPLE = 64;

/** Returns a buffer of about 1 MiB that repeats the text. */
export function repeatToOneMib(text: string): Buffer {
  return Buffer.from(text.repeat(Math.ceil(BYTES_PER_MIB / text.length)), "latin1");
}

async function startTcpServer(onConnection: (socket: Socket) => void): Promise<StoppableServer> {
  const server = createServer((socket) => onConnection(socket.on("error", () => undefined)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

function writeFloodToSocket(
  socket: Socket,
  { repeatedBytes, totalBytes, sampleMemory }: FloodingServerOptions,
): void {
  let sent = 0;
  let chunks = 0;
  const next = (error?: Error | null): void => {
    if (error || socket.destroyed || sent >= totalBytes) return;
    // The flooding server measures the memory only after every second chunk, because measuring takes longer than
    // sending.
    if (chunks++ % 2 === 1) sampleMemory();
    sent += repeatedBytes.length;
    // The next chunk is written when the kernel has accepted this chunk, so that this process buffers nothing.
    socket.write(repeatedBytes, next);
  };
  next();
}

/** Returns a function that starts a server, which sends the flood when a client connects. */
export const createFloodOnConnectStarter =
  (head: string) =>
  (flood: FloodingServerOptions): Promise<StoppableServer> =>
    startTcpServer((socket) => {
      socket.write(Buffer.from(head, "latin1"));
      writeFloodToSocket(socket, flood);
    });

/** Returns a function that starts a server, which sends the flood after the first bytes of the client. */
export const createFloodOnRequestStarter =
  (head: string) =>
  (flood: FloodingServerOptions): Promise<StoppableServer> =>
    startTcpServer((socket) => {
      socket.once("data", () => {
        socket.write(Buffer.from(head, "latin1"));
        writeFloodToSocket(socket, flood);
      });
    });

/** Starts an FTP server that sends the flood over its data connections. */
export async function startFtpListingFlood(flood: FloodingServerOptions): Promise<StoppableServer> {
  const data = await startTcpServer((socket) => writeFloodToSocket(socket, flood));
  const answers = {
    USER: "230 welcome",
    PWD: '257 "/"',
    CWD: "250 changed",
    TYPE: "200 set",
    EPSV: `229 extended passive (|||${data.port}|)`,
    LIST: "150 here it comes",
    NLST: "150 here it comes",
    MLSD: "150 here it comes",
  };
  const control = await startScriptedServer(async (peer) => {
    peer.send("220 ready\r\n");
    await replyToEachCommand(peer, answers, "550 not here");
  });
  return {
    port: control.port,
    async stop() {
      await control.stop();
      await data.stop();
    },
  };
}

/** Starts an NNTP server that sends the repeated lines for each range of articles, up to `totalBytes` bytes. */
export function startNntpOverviewFlood({
  repeatedBytes,
  totalBytes,
  sampleMemory,
}: FloodingServerOptions): Promise<StoppableServer> {
  return startScriptedServer(async (peer) => {
    peer.send("200 ready\r\n");
    let sent = 0;
    for (
      let line = await peer.readLine();
      line !== undefined && sent < totalBytes;
      line = await peer.readLine()
    ) {
      if (line.startsWith("OVER ")) {
        sampleMemory();
        for (const bytes of ["224 list\r\n", repeatedBytes, ".\r\n"]) peer.send(bytes);
        sent += repeatedBytes.length;
      } else peer.send(line.startsWith("GROUP ") ? "211 9999999 1 9999999 a.b\r\n" : "500 unknown\r\n");
    }
  });
}

/**
 * Returns a function that starts a Prospero server, which answers LIST with packets of `totalBytes` bytes in total. The
 * function `createPacket` returns the packet with an index for the connection `id`.
 */
export const createProsperoFloodStarter =
  (createPacket: (index: number, id: Buffer) => Buffer) =>
  async ({ totalBytes, sampleMemory }: FloodingServerOptions): Promise<StoppableServer> => {
    const socket = createSocket("udp4");
    let stopped = false;
    socket.on("message", (message, from) => {
      const id = Buffer.from(message.subarray(1, 3));
      if (message.includes("GET-OBJECT-INFO"))
        return socket.send(
          Buffer.of(3, ...id, ...Buffer.from("FAILURE NOT-FOUND\n")),
          from.port,
          from.address,
        );
      if (!message.includes("LIST ")) return;
      let sent = 0;
      const next = (index: number): void => {
        if (stopped || sent >= totalBytes) return;
        if (index % DATAGRAMS_PER_MEMORY_SAMPLE === 0) sampleMemory();
        const bytes = createPacket(index, id);
        sent += bytes.length;
        // The server sends one packet per turn of the event loop, so that the client can read each packet.
        socket.send(bytes, from.port, from.address, () => setImmediate(next, index + 1));
      };
      next(0);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const stop = (): Promise<void> => {
      stopped = true;
      return new Promise((resolve) => socket.close(() => resolve()));
    };
    return { port: socket.address().port, stop };
  };
