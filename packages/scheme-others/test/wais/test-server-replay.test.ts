import { connect } from "node:net";
import { type TestServer, startWaisTestServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWaisServerOptionsFromCaptures } from "./server-options-from-captures.ts";
import { captureNames, readCapturedExchanges } from "./read-captures.ts";

/** The captured responses that the test server does not reproduce byte for byte, with the reason. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  "57-next-and-previous": "the response to WAIS_PREV counts a diagnostic that it does not contain",
};

/** The database of this capture has no catalogue. */
const CAPTURE_WITHOUT_CATALOGUE = "05-waissearch-no-hits-no-catalog";

describe("the WAIS test server answers captured requests", () => {
  const servers: TestServer[] = [];
  beforeAll(async () => {
    servers.push(
      await startWaisTestServer(createWaisServerOptionsFromCaptures()),
      await startWaisTestServer(createWaisServerOptionsFromCaptures("without")),
    );
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it.each(captureNames.filter((name) => !(name in KNOWN_DIFFERENCES)))(
    "the WAIS test server sends the same bytes as freeWAIS-sf in the capture %s",
    async (name) => {
      const server = servers[name === CAPTURE_WITHOUT_CATALOGUE ? 1 : 0];
      const client = await connectRawWaisClient(server?.port ?? 0);
      for (const { request, response } of readCapturedExchanges(name)) {
        client.send(request);
        expect(await client.readMessage()).toEqual(response);
      }
      client.close();
    },
  );

  it.skip.each(Object.entries(KNOWN_DIFFERENCES))(
    "the WAIS test server differs from the capture %s: %s",
    () => undefined,
  );
});

interface RawWaisClient {
  send(bytes: Uint8Array): void;
  /** Reads a whole message. Returns `undefined` if the server has closed the connection. */
  readMessage(): Promise<Buffer | undefined>;
  close(): void;
}

async function connectRawWaisClient(port: number): Promise<RawWaisClient> {
  const socket = connect({ host: "127.0.0.1", port });
  const pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held = Buffer.alloc(0);
  return {
    send: (bytes) => void socket.write(bytes),
    async readMessage() {
      for (;;) {
        const length = held.length < 25 ? Infinity : 25 + Number(held.toString("latin1", 0, 10));
        if (held.length >= length) {
          const message = held.subarray(0, length);
          held = held.subarray(length);
          return message;
        }
        const piece = await pieces.next();
        if (piece.done) return undefined;
        held = Buffer.concat([held, piece.value]);
      }
    },
    close: () => socket.destroy(),
  };
}
