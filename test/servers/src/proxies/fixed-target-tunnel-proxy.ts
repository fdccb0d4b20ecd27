import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An HTTP proxy on a loopback port that connects every tunnel to one loopback server. */
export interface FixedTargetTunnelProxy extends AsyncDisposable {
  readonly port: number;
  /** The targets of the CONNECT requests, in order. */
  readonly targets: readonly string[];
  /** The number of client connections that are open. */
  readonly openCount: number;
}

/** Starts a proxy that connects to `serverPort`, whatever address the client asks for. */
export async function startFixedTargetTunnelProxy(serverPort: number): Promise<FixedTargetTunnelProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    client.on("error", () => undefined);
    client.once("data", (head: Buffer) => {
      targets.push(/^CONNECT (\S+) /.exec(head.toString("latin1"))?.[1] ?? "");
      const tunnel = connect(serverPort, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(tunnel).pipe(client);
      });
      tunnel.on("error", () => client.destroy());
      client.once("close", () => tunnel.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    get openCount() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
