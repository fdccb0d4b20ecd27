import { writeSync } from "node:fs";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";

/** A minimal Gopher request without checks, limits or error handling. */
export type MinimalGopherFetcher = (
  port: number,
  selector: string,
  take: (bytes: Uint8Array) => void,
) => Promise<void>;

const LOOPBACK_ADDRESS = "127.0.0.1";

function waitForClose(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject).once("close", () => resolve());
  });
}

/**
 * Returns a minimal request that receives the item into one reused buffer of the given size. Each concurrent
 * connection needs its own buffer.
 */
export function createReusedBufferGopherFetcher(bufferBytes: number): MinimalGopherFetcher {
  const spare: Uint8Array[] = [];
  return async (port, selector, take) => {
    const buffer = spare.pop() ?? new Uint8Array(bufferBytes);
    const callback = (length: number): boolean => {
      take(buffer.subarray(0, length));
      return true;
    };
    const options = { host: LOOPBACK_ADDRESS, port, onread: { buffer, callback } };
    const socket = connect(options as TcpNetConnectOpts, () => socket.write(`${selector}\r\n`));
    await waitForClose(socket);
    spare.push(buffer);
  };
}

export const fetchGopherItemBySocketDataEvents: MinimalGopherFetcher = (port, selector, take) => {
  const socket = connect(port, LOOPBACK_ADDRESS, () => socket.write(`${selector}\r\n`));
  socket.on("data", take);
  return waitForClose(socket);
};

export const fetchGopherItemBySocketIteration: MinimalGopherFetcher = async (port, selector, take) => {
  const socket = connect(port, LOOPBACK_ADDRESS, () => socket.write(`${selector}\r\n`));
  for await (const chunk of socket) take(chunk as Uint8Array);
};

/** Requests a Gopher item and writes the received bytes to an open file. */
export async function saveGopherItemToFile(port: number, selector: string, file: number): Promise<void> {
  await createReusedBufferGopherFetcher(1_048_576)(port, selector, (bytes) => void writeSync(file, bytes));
}
