import { connect, type Socket } from "node:net";

/** What a load has come to. */
export interface Load {
  readonly requests: number;
  readonly ms: number;
  /** The time of each request, in milliseconds, in order of length. */
  readonly latencies: readonly number[];
}

/** Asks for a path so many times, over so many connections that are kept: with bare sockets, so that the server is what is measured. */
export async function load(port: number, path: string, requests: number, atOnce: number): Promise<Load> {
  const latencies: number[] = [];
  let left = requests;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const ask = asking(port, path);
      while (left-- > 0) {
        const before = performance.now();
        await ask();
        latencies.push(performance.now() - before);
      }
    }),
  );
  return { requests, ms: performance.now() - began, latencies: latencies.toSorted((a, b) => a - b) };
}

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** Asks again and again, over a new connection where the server has closed the old one; resolves with each whole answer. */
function asking(port: number, path: string): () => Promise<void> {
  const head = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  let kept: Socket | undefined;
  return async () => {
    const socket = (kept ??= await connected(port));
    socket.write(head);
    const answer = await answerOn(socket);
    if (answer.toString("latin1", 9, 12) !== "200")
      throw new Error(`the answer is ${answer.toString("latin1", 9, 12)}`);
    if (answer.includes("\r\nConnection: close\r\n")) {
      socket.destroy();
      kept = undefined;
    }
  };
}

/** A whole answer, which is chunked or has a Content-Length. */
function answerOn(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error("the connection was closed"));
    const pieces: Buffer[] = [];
    const take = (piece: Buffer): void => {
      pieces.push(piece);
      const answer = pieces.length === 1 ? piece : Buffer.concat(pieces);
      if (!isWhole(answer)) return;
      socket.off("data", take).off("close", closed);
      resolve(answer);
    };
    socket.on("data", take).once("close", closed);
  });
}

function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.toString("latin1", 0, end))?.[1];
  if (length !== undefined) return answer.length >= end + 4 + Number(length);
  return answer.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
}

/** Asks for a path and reads nothing of the answer but its beginning, so many times; gives how to end it. */
export async function stall(port: number, path: string, clients: number): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = await connected(port);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      await new Promise<void>((resolve, reject) => {
        socket.once("close", () => reject(new Error("the connection was closed")));
        socket.once("data", () => {
          socket.pause();
          resolve();
        });
      });
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}
