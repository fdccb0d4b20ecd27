import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A server that answers the first line with a text, and the second with a reset. */
export interface ResettingServer extends AsyncDisposable {
  readonly port: number;
}

export async function startResettingServer(text: string): Promise<ResettingServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let lines = 0;
    socket
      .on("error", () => undefined)
      .on("data", (octets) => {
        lines += octets.filter((octet) => octet === 0x0a).length;
        // `resetAndDestroy()` would end its side before, and the client might see that first.
        if (lines > 1) Object.assign(socket, { resetAndClosing: true }).destroy();
        else socket.write(text);
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), "close");
    },
  };
}
