import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ArdpPacket,
  parseArdpPacket,
  encodeCancelPacket,
  encodeArdpPacket,
} from "../../../src/prospero/ardp/packet.ts";
import { readCapturedDatagrams } from "../read-capture.ts";

const decodeHex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** Returns the fields of a packet that have a value other than `false`. */
function parseOptionalFields(text: string): Partial<ArdpPacket> | undefined {
  const packet = parseArdpPacket(decodeHex(text));
  if (!packet) return undefined;
  const entries = Object.entries(packet).filter(([, value]) => value !== undefined && value !== false);
  const { data, ...fields } = Object.fromEntries(entries) as Partial<ArdpPacket>;
  return data && data.length > 0 ? { ...fields, data: Buffer.from(data) } : fields;
}

describe("the client parses the headers of ARDP packets", () => {
  it.each<[what: string, bytes: string, packet: Partial<ArdpPacket> | undefined]>([
    [
      "a header of one byte, without a connection id",
      "01 41",
      { connectionId: 0, packetNumber: 1, packetCount: 1, data: Buffer.from("A") },
    ],
    [
      "a header that ends after the connection id",
      "03 2226 41",
      { connectionId: 0x2226, packetNumber: 1, packetCount: 1, data: Buffer.from("A") },
    ],
    [
      "a header that ends after the packet number",
      "05 2226 0002 41",
      { connectionId: 0x2226, packetNumber: 2, data: Buffer.from("A") },
    ],
    [
      "an unknown packet count",
      "07 86be 0002 0000 41",
      { connectionId: 0x86be, packetNumber: 2, packetCount: 0, data: Buffer.from("A") },
    ],
    [
      "an acknowledgement",
      "09 86be 0000 0000 0010",
      { connectionId: 0x86be, packetNumber: 0, packetCount: 0, receivedThrough: 16 },
    ],
    [
      "a wait in seconds",
      "0b 86be 0000 0000 0001 001e",
      { connectionId: 0x86be, packetNumber: 0, packetCount: 0, receivedThrough: 1, waitSeconds: 30 },
    ],
    [
      "a request for an acknowledgement",
      "0c 86be 0010 0000 0001 0000 80 41",
      {
        connectionId: 0x86be,
        packetNumber: 16,
        packetCount: 0,
        receivedThrough: 1,
        waitSeconds: 0,
        requestsAcknowledgement: true,
        data: Buffer.from("A"),
      },
    ],
    [
      "a sequenced control packet",
      "0c 86be 0002 0003 0001 0000 40 41",
      { connectionId: 0x86be, packetNumber: 2, packetCount: 3, receivedThrough: 1, waitSeconds: 0 },
    ],
    [
      "an additional address in a data packet",
      "10 86be 0002 0003 0001 0000 01 00 05 01 aa 41",
      {
        connectionId: 0x86be,
        packetNumber: 2,
        packetCount: 3,
        receivedThrough: 1,
        waitSeconds: 0,
        data: Buffer.from("A"),
      },
    ],
    [
      "a refusal",
      "0d 86be 0000 0000 0000 0000 00 01",
      {
        connectionId: 0x86be,
        packetNumber: 0,
        packetCount: 0,
        receivedThrough: 0,
        waitSeconds: 0,
        isRequestRefused: true,
      },
    ],
    [
      "a header that sets the received-through field",
      "0d 86be 0000 0000 0005 0000 00 02",
      {
        connectionId: 0x86be,
        packetNumber: 0,
        packetCount: 0,
        receivedThrough: 5,
        waitSeconds: 0,
        mayLowerReceivedThrough: true,
      },
    ],
    [
      "a bit vector",
      "0e 86be 0000 0000 0005 0000 00 03 ff",
      { connectionId: 0x86be, packetNumber: 0, packetCount: 0, receivedThrough: 5, waitSeconds: 0 },
    ],
    [
      "a redirect",
      "13 86be 0000 0000 0000 0000 00 04 7f000001 05f5",
      {
        connectionId: 0x86be,
        packetNumber: 0,
        packetCount: 0,
        receivedThrough: 0,
        waitSeconds: 0,
        redirectServer: { address: "127.0.0.1", port: 1525 },
      },
    ],
    [
      "a redirect and notification after the fields of the flags",
      "1a 86be 0000 0000 0000 0000 0f 05 01 01 aa ffd6 0001 0004 08080808 ffff".replace("1a", "1c"),
      {
        connectionId: 0x86be,
        packetNumber: 0,
        packetCount: 0,
        receivedThrough: 0,
        waitSeconds: 0,
        windowPackets: 4,
        redirectServer: { address: "8.8.8.8", port: 65535 },
      },
    ],
    [
      "a forwarded packet",
      "13 86be 0000 0000 0000 0000 00 06 7f000001 05f5",
      { connectionId: 0x86be, packetNumber: 0, packetCount: 0, receivedThrough: 0, waitSeconds: 0 },
    ],
    [
      "the queue position and time",
      "14 86be 0000 0000 0000 0000 00 fe 03 0007 0000012c",
      {
        connectionId: 0x86be,
        packetNumber: 0,
        packetCount: 0,
        receivedThrough: 0,
        waitSeconds: 0,
        queueState: { position: 7, expectedWaitSeconds: 300 },
      },
    ],
    [
      "half a packet number",
      "04 2226 00 41",
      { connectionId: 0x2226, packetNumber: 1, packetCount: 1, data: Buffer.from("A") },
    ],
    ["a header of no bytes", "00 41", undefined],
    ["a header longer than its packet", "09 86be", undefined],
    ["a header of another version", "49 86be 0001 0001 0000", undefined],
    ["a text without an ARDP header", "56 45 52 53", undefined],
    ["an incomplete redirect", "12 86be 0000 0000 0000 0000 00 04 7f000001 05", undefined],
    ["a header whose flags lack their fields", "0c 86be 0001 0001 0000 0000 02 41", undefined],
    ["an address longer than the header", "0f 86be 0001 0001 0000 0000 01 00 01 ff", undefined],
    ["an empty datagram", "", undefined],
  ])("the client parses an ARDP header: %s", (_, bytes, packet) => {
    expect(parseOptionalFields(bytes)).toEqual(packet);
  });

  it("the client parses a captured ARDP header with priority and window size", () => {
    const [request] = readCapturedDatagrams("56-priority-and-window");
    const packet = parseArdpPacket(request?.bytes ?? Buffer.alloc(0));
    expect(packet).toMatchObject({ connectionId: 0x6161, packetNumber: 1, packetCount: 1, windowPackets: 4 });
    expect(packet?.data).toHaveLength(122);
  });

  it("the client parses arbitrary datagrams without an exception, and returns only their bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 48 }), (bytes) => {
        const packet = parseArdpPacket(bytes);
        if (!packet) return;
        expect(bytes.length - packet.data.length).toBeGreaterThanOrEqual(
          Math.min(bytes[0] ?? 0, bytes.length),
        );
        expect(
          packet.redirectServer === undefined || /^\d+\.\d+\.\d+\.\d+$/.test(packet.redirectServer.address),
        ).toBe(true);
      }),
    );
  });
});

describe("the client encodes ARDP packets", () => {
  it.each([
    ["10-not-authorized", 0, { packetNumber: 1, packetCount: 1, receivedThrough: 0 }],
    ["44-contents-81000", 17, { packetNumber: 0, packetCount: 0, receivedThrough: 16 }],
    ["54-multi-packet-request", 1, { packetNumber: 2, packetCount: 2, receivedThrough: 0 }],
  ])("the client encodes the same ARDP packet as the capture %s, datagram %i", (name, index, fields) => {
    const { bytes } = readCapturedDatagrams(name)[index] ?? { bytes: Buffer.alloc(0) };
    const connectionId = bytes.readUInt16BE(1);
    expect(Buffer.from(encodeArdpPacket({ connectionId, ...fields, data: bytes.subarray(9) }))).toEqual(
      bytes,
    );
  });

  it("the client encodes the same cancel packet as a captured client", () => {
    const { bytes } = readCapturedDatagrams("58-cancel")[0] ?? { bytes: Buffer.alloc(0) };
    expect(Buffer.from(encodeCancelPacket(bytes.readUInt16BE(1)))).toEqual(bytes);
  });

  it("the client parses encoded ARDP packets to the same fields", () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const init = fc.record({
      connectionId: word,
      packetNumber: word,
      packetCount: word,
      receivedThrough: word,
      requestsAcknowledgement: fc.boolean(),
    });
    fc.assert(
      fc.property(init, fc.uint8Array({ maxLength: 8 }), (fields, data) => {
        const packet = parseArdpPacket(encodeArdpPacket({ ...fields, data }));
        expect(packet).toMatchObject({
          ...fields,
          data: fields.packetNumber === 0 ? new Uint8Array(0) : data,
        });
      }),
    );
  });
});
