import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type TestServer, startProsperoTestServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCapturedDatagrams } from "./read-capture.ts";
import { OPTIONS_TO_IMITATE_CAPTURED_SERVER } from "./options-to-imitate-captured-server.ts";

let prosperoServer: TestServer;
beforeAll(async () => {
  prosperoServer = await startProsperoTestServer(OPTIONS_TO_IMITATE_CAPTURED_SERVER);
});
afterAll(() => prosperoServer.stop());

/**
 * Sends the datagrams of a captured client to the test server, each after the replies to the previous datagrams.
 * Returns the replies of the test server.
 */
async function replayCapturedRequests(name: string): Promise<{ sent: string[]; expected: string[] }> {
  const rows = readCapturedDatagrams(name);
  const expected = rows
    .filter(({ sender }) => sender === "server")
    .map(({ bytes }) => bytes.toString("latin1"));
  const socket = createSocket("udp4");
  socket.connect(prosperoServer.port, prosperoServer.address);
  await once(socket, "connect");
  const sent: string[] = [];
  let wake = (): void => undefined;
  const take = (bytes: Buffer): void => {
    sent.push(bytes.toString("latin1"));
    wake();
  };
  socket.on("message", take);
  const answered = async (count: number): Promise<void> => {
    while (sent.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  let due = 0;
  for (const { sender, bytes } of rows) {
    if (sender === "server") due++;
    if (sender === "server") continue;
    await answered(due);
    socket.send(bytes);
  }
  await answered(due);
  socket.close();
  return { sent, expected };
}

describe("the Prospero test server answers captured requests", () => {
  it.each([
    "01-list-dir",
    "02-list-dir-no-attr",
    "03-list-one",
    "04-list-none",
    "05-list-multicomp",
    "06-list-wild",
    "07-list-verify",
    "08-not-a-directory",
    "10-not-authorized",
    "11-goi-all",
    "12-goi-access-method-alone",
    "13-goi-contents",
    "14-goi-contents-binary",
    "17-goi-notfound",
    "19-goi-no-such-attribute",
    "21-unknown-command",
    "22-version-query",
    "23-version-9",
    "28-missing-newline",
    "29-empty",
    "30-no-version",
    "31-crlf",
    "32-two-commands",
    "33-goi-version-7",
    "34-select-id",
    "37-list-everything-root",
    "40-goi-am-plus-size",
    "41-goi-am-aftp",
    "43-list-aftp-prefix",
    "44-contents-81000",
    "45-list-many",
    "46-list-thousand",
    "48-contents-empty-file",
    "49-goi-manual-three-access-methods",
    "50-header-1-byte",
    "51-header-3-bytes",
    "53-duplicate-request",
    "54-multi-packet-request",
    "55-multi-packet-request-reordered",
    "56-priority-and-window",
    "57-window-and-partial-ack",
    "58-cancel",
    "59-list-names",
    "59b-list-names-attr",
    "59d-component-lf",
    "59e-goi-name-lf",
    "67-list-links",
    "68-list-links-noattr",
    "70-unresolved-from-root",
    "80-forwarded-dir",
    "83-forwarded-subcomponent",
    "85-list-with-magic",
    "90-real-vls-docs",
    "90d-real-als",
  ])(
    "the Prospero test server sends the same bytes as the original server in the capture %s",
    async (name) => {
      const { sent, expected } = await replayCapturedRequests(name);
      expect(sent).toEqual(expected);
    },
  );

  it.skip.each([
    ["25-v1-list", "the test server does not support version 1"],
    [
      "52-no-header-old-rdp",
      "the original server replies to a datagram without a header with a corrupted text",
    ],
    ["82-forwarding-pointer", "the original server sends an invalid reply"],
    ["90f-real-vls-links-union", "the captured directory had one link fewer at the time of the capture"],
    [
      "84-attr-and-magic",
      "the original server adds an invalid forwarding pointer to the attributes #ALL of an object with an id",
    ],
  ])("the Prospero test server differs from the capture %s: %s", () => undefined);
});

describe("the Prospero test server evaluates selections in requests", () => {
  const INFO = "GET-OBJECT-INFO SIZE ASCII '/srv/library/prospero/tree/docs/hello.txt' 0\n";
  const SIZE = "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 15' bytes'\n";
  it.each([
    ["SELECT OBJECT FIELD ID REMOTE 1", SIZE],
    ["SELECT OBJECT FIELD OWNER root", SIZE],
    ["SELECT OBJECT FIELD OWNER SEQUENCE", SIZE],
    ["SELECT OBJECT FIELD SIZE SEQUENCE 15", SIZE],
    ["SELECT OBJECT FIELD SIZE ASCII 15", SIZE],
    ["SELECT OBJECT FIELD TITLE SEQUENCE", SIZE],
    ["SELECT OBJECT FIELD SIZE 15", "ERROR GET-OBJECT-INFO Unknown' Attribute Value type: 15'\n"],
    ["SELECT OBJECT INTRINSIC SIZE 15", "ERROR GET-OBJECT-INFO Unknown' Attribute Value type: 15'\n"],
    [
      "SELECT OBJECT FIELD SIZE",
      "ERROR GET-OBJECT-INFO Malformed' ATTRIBUTE line: SELECT OBJECT FIELD SIZE'\n",
    ],
    ["SELECT OBJECT", "ERROR GET-OBJECT-INFO Malformed' attribute line: SELECT OBJECT'\n"],
    [
      "SELECT OBJECT OTHER SIZE x",
      "ERROR GET-OBJECT-INFO Only' APPLICATION, INTRINSIC, and FIELD attribute value types exist -- " +
        "Malformed ATTRIBUTE line: SELECT OBJECT OTHER SIZE x'\n",
    ],
  ])(
    "the Prospero test server answers the request line %j like the original server",
    async (selection, reply) => {
      const socket = createSocket("udp4");
      socket.connect(prosperoServer.port, prosperoServer.address);
      await once(socket, "connect");
      socket.send(Buffer.concat([Buffer.of(1), Buffer.from(`VERSION 5 x\n${INFO}${selection}\nSTATUS\n`)]));
      const [datagram] = (await once(socket, "message")) as [Buffer];
      socket.close();
      // The server ignores the request lines after a failure.
      const status = "Prospero server of the tests LOCALHOST(15250)\n";
      expect(datagram.toString("latin1", 1)).toBe(reply === SIZE ? SIZE + status : reply);
    },
  );
});
