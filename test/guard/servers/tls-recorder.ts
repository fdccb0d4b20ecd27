import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { certificate, key } from "../../../packages/core/test/network/certificate.ts";
import type { Recorder, StartRecorder } from "./recorders.ts";

/** The same recorder behind TLS, for `secure.example`. */
export function secured(start: StartRecorder): StartRecorder {
  return async () => {
    const recorder = await start();
    const front = createServer({ cert: certificate, key }, (client) => {
      const behind = connect(recorder.port, "127.0.0.1");
      client.on("error", () => behind.destroy()).pipe(behind);
      behind.on("error", () => client.destroy()).pipe(client);
    });
    front.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
    await once(front, "listening");
    const { port } = front.address() as AddressInfo;
    const secure: Recorder = {
      port,
      get clients() {
        return recorder.clients;
      },
      receivedFrom: (client) => recorder.receivedFrom(client),
      async [Symbol.asyncDispose]() {
        await new Promise((resolve) => front.close(resolve));
        await recorder[Symbol.asyncDispose]();
      },
    };
    return secure;
  };
}
