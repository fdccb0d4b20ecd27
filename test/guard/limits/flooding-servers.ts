import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { startScriptedServer } from "@anyscheme/core/testing";
import { answerLines } from "../servers/reply-by-command.ts";
import type { LimitServer } from "./limit-rows.ts";

export const MIB = 1_048_576;

/** What a server pours out: again and again the same bytes, up to so many in all. */
export interface Flood {
  readonly bytes: Buffer;
  readonly total: number;
  /** Called now and then while bytes are on their way. */
  readonly sample: () => void;
}

/** How many datagrams go out between two samples. */
const SAMPLED = 64;

/** About 1 MiB of these lines, or of this text. */
export function chunkOf(text: string): Buffer {
  return Buffer.from(text.repeat(Math.ceil(MIB / text.length)), "latin1");
}

async function listening(take: (socket: Socket) => void): Promise<LimitServer> {
  const server = createServer((socket) => take(socket.on("error", () => undefined)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

function pour(socket: Socket, { bytes, total, sample }: Flood): void {
  let sent = 0;
  let chunks = 0;
  const next = (error?: Error | null): void => {
    if (error || socket.destroyed || sent >= total) return;
    // To look takes longer than to send.
    if (chunks++ % 2 === 1) sample();
    sent += bytes.length;
    // The callback comes when the kernel has it all, so that nothing piles up on this side.
    socket.write(bytes, next);
  };
  next();
}

/** Speaks first. */
export const greeting =
  (head: string) =>
  (flood: Flood): Promise<LimitServer> =>
    listening((socket) => {
      socket.write(Buffer.from(head, "latin1"));
      pour(socket, flood);
    });

/** Waits for the first bytes of the client. */
export const answering =
  (head: string) =>
  (flood: Flood): Promise<LimitServer> =>
    listening((socket) => {
      socket.once("data", () => {
        socket.write(Buffer.from(head, "latin1"));
        pour(socket, flood);
      });
    });

/** Pours a list over the data connections of FTP. */
export async function listingByFtp(flood: Flood): Promise<LimitServer> {
  const data = await listening((socket) => pour(socket, flood));
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
    await answerLines(peer, answers, "550 not here");
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
 * Knows of no object, and sends datagrams in answer to whoever asks for its links; `make` gives them, counted from 0, to the
 * conversation `id`.
 */
export const linksByProspero =
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
        if (index % SAMPLED === 0) sample();
        const bytes = make(index, id);
        sent += bytes.length;
        // One after the other, in turns of the event loop, so that the client takes them in between.
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
