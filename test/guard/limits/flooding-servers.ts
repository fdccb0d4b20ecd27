import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { startScriptedServer } from "@anyscheme/core/testing";
import { replyByCommand } from "../servers/reply-by-command.ts";
import type { LimitServer } from "./limit-rows.ts";

export const MIB = 1_048_576;

/** The bytes that a server repeats up to a total. */
export interface Flood {
  readonly bytes: Buffer;
  readonly total: number;
  /** Called regularly while the bytes are sent. */
  readonly sample: () => void;
}

/** Datagrams between two samples. */
const SAMPLE_INTERVAL = 64;

/** Repeats a text to about 1 MiB. */
export function repeatToChunk(text: string): Buffer {
  return Buffer.from(text.repeat(Math.ceil(MIB / text.length)), "latin1");
}

async function startServer(onConnection: (socket: Socket) => void): Promise<LimitServer> {
  const server = createServer((socket) => onConnection(socket.on("error", () => undefined)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

function writeFlood(socket: Socket, { bytes, total, sample }: Flood): void {
  let sent = 0;
  let chunks = 0;
  const next = (error?: Error | null): void => {
    if (error || socket.destroyed || sent >= total) return;
    // Samples only every second chunk, since sampling takes longer than sending.
    if (chunks++ % 2 === 1) sample();
    sent += bytes.length;
    // Writes the next chunk when the kernel has accepted this one. This process then buffers nothing.
    socket.write(bytes, next);
  };
  next();
}

/** Sends the flood when a client connects. */
export const floodOnConnect =
  (head: string) =>
  (flood: Flood): Promise<LimitServer> =>
    startServer((socket) => {
      socket.write(Buffer.from(head, "latin1"));
      writeFlood(socket, flood);
    });

/** Sends the flood after the first bytes of the client. */
export const floodOnRequest =
  (head: string) =>
  (flood: Flood): Promise<LimitServer> =>
    startServer((socket) => {
      socket.once("data", () => {
        socket.write(Buffer.from(head, "latin1"));
        writeFlood(socket, flood);
      });
    });

/** Sends the flood over FTP data connections. */
export async function floodFtpListing(flood: Flood): Promise<LimitServer> {
  const data = await startServer((socket) => writeFlood(socket, flood));
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
    await replyByCommand(peer, answers, "550 not here");
  });
  return {
    port: control.port,
    async stop() {
      await control.stop();
      await data.stop();
    },
  };
}

/**
 * Returns a server without objects that sends endless link packets. `make` returns the packet with this index for the
 * connection `id`.
 */
export const floodProsperoLinks =
  (make: (index: number, id: Buffer) => Buffer) =>
  async ({ total, sample }: Flood): Promise<LimitServer> => {
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
        if (stopped || sent >= total) return;
        if (index % SAMPLE_INTERVAL === 0) sample();
        const bytes = make(index, id);
        sent += bytes.length;
        // Sends one packet per event-loop turn, so that the client reads in between.
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
