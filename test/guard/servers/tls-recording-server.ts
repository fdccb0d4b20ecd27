import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { createServer } from "node:tls";
import {
  TEST_CERTIFICATE_PEM,
  TEST_PRIVATE_KEY_PEM,
} from "../../../packages/core/test/network/test-certificate.ts";
import type { RecordingServer, StartRecordingServer } from "./recording-servers.ts";

/** Returns a function that starts a recording server with TLS and a certificate for `secure.example`. */
export function createTlsRecordingServerStarter(start: StartRecordingServer): StartRecordingServer {
  return async () => {
    const recorder = await start();
    const tlsServer = createServer({ cert: TEST_CERTIFICATE_PEM, key: TEST_PRIVATE_KEY_PEM }, (client) => {
      const upstream = connect(recorder.port, "127.0.0.1");
      client.on("error", () => upstream.destroy()).pipe(upstream);
      upstream.on("error", () => client.destroy()).pipe(client);
    });
    tlsServer.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
    await once(tlsServer, "listening");
    const { port } = tlsServer.address() as AddressInfo;
    const secure: RecordingServer = {
      port,
      get connectionCount() {
        return recorder.connectionCount;
      },
      receivedSinceConnection: (client) => recorder.receivedSinceConnection(client),
      async [Symbol.asyncDispose]() {
        await new Promise((resolve) => tlsServer.close(resolve));
        await recorder[Symbol.asyncDispose]();
      },
    };
    return secure;
  };
}
