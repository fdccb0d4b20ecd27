import { connect, type Socket } from "node:net";

/** The result of a load test of an HTTP server. */
export interface LoadTestResult {
  readonly requestCount: number;
  readonly durationMs: number;
  /** The latency of each request in milliseconds, in ascending order. */
  readonly latenciesMs: readonly number[];
}

/**
 * Requests a path of an HTTP server many times over several keep-alive connections. The load test uses plain sockets to
 * keep its own overhead low.
 */
export async function runLoadTest(
  port: number,
  path: string,
  requests: number,
  concurrency: number,
): Promise<LoadTestResult> {
  const latencies: number[] = [];
  let left = requests;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      const ask = createRequestSender(port, path);
      while (left-- > 0) {
        const before = performance.now();
        await ask();
        latencies.push(performance.now() - before);
      }
    }),
  );
  return {
    requestCount: requests,
    durationMs: performance.now() - began,
    latenciesMs: latencies.toSorted((a, b) => a - b),
  };
}

const HTTP_LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/**
 * Returns a function that sends one HTTP request and waits for the response. The returned function reconnects if the
 * HTTP server has closed the connection.
 */
function createRequestSender(port: number, path: string): () => Promise<void> {
  const head = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  let connection: Socket | undefined;
  return async () => {
    const socket = (connection ??= await openConnection(port));
    socket.write(head);
    const response = await readResponse(socket);
    if (response.toString("latin1", 9, 12) !== "200")
      throw new Error(`the response is ${response.toString("latin1", 9, 12)}`);
    if (response.includes("\r\nConnection: close\r\n")) {
      socket.destroy();
      connection = undefined;
    }
  };
}

/** Reads an HTTP response with a Content-Length or with chunked encoding. */
function readResponse(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(new Error("the connection was closed"));
    const chunks: Buffer[] = [];
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      const response = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      if (!isCompleteResponse(response)) return;
      socket.off("data", onData).off("close", onClose);
      resolve(response);
    };
    socket.on("data", onData).once("close", onClose);
  });
}

function isCompleteResponse(response: Buffer): boolean {
  const end = response.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.toString("latin1", 0, end))?.[1];
  if (length !== undefined) return response.length >= end + 4 + Number(length);
  return response.subarray(-HTTP_LAST_CHUNK.length).equals(HTTP_LAST_CHUNK);
}

/**
 * Opens connections that request a path and stop reading after the first chunk. Returns a function that
 * closes the connections.
 */
export async function openNonReadingClients(
  port: number,
  path: string,
  clients: number,
): Promise<() => void> {
  const sockets = await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = await openConnection(port);
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

function openConnection(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}
