import * as fc from "fast-check";
import { AccessError } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { ArdpExchangeStateMachine } from "../../../src/prospero/ardp/ardp-exchange-state-machine.ts";
import { readCapturedReplyDatagrams, readCapturedReplyText } from "../read-capture.ts";
import {
  DEFAULT_PROSPERO_CLIENT_LIMITS,
  catchAccessError,
  createReplyPacket,
  formatDatagramsAsHex,
  decodeHex,
  runExchangeWithoutReplies,
  createArdpStateMachineAfterRequest,
  takeArdpReplyAsHex,
} from "./ardp-exchange-fixture.ts";

describe("the client receives the packets of an ARDP reply", () => {
  it.each([
    ["packets in order", [1, 2, 3, 4]],
    ["packets in reverse order", [4, 3, 2, 1]],
    ["duplicate packets", [1, 1, 2, 3, 3, 3, 4]],
    ["duplicate packets after the last packet", [2, 1, 4, 3, 3]],
  ])("the client receives the packets of a reply: %s", (_, order) => {
    const exchange = createArdpStateMachineAfterRequest();
    for (const number of order) exchange.receive(createReplyPacket(number, 4), 10);
    expect([exchange.isComplete, takeArdpReplyAsHex(exchange), exchange.isFullyRead]).toEqual([
      true,
      "01020304",
      true,
    ]);
    expect(exchange.takeDatagrams()).toEqual([]);
  });

  it("the client completes a reply when any packet states the packet count", () => {
    const exchange = createArdpStateMachineAfterRequest();
    for (const bytes of [createReplyPacket(1, 0), createReplyPacket(2, 0), createReplyPacket(3, 0)])
      exchange.receive(bytes, 10);
    expect(exchange.isComplete).toBe(false);
    exchange.receive(createReplyPacket(2, 3), 10);
    expect([exchange.isComplete, takeArdpReplyAsHex(exchange)]).toEqual([true, "010203"]);
  });

  it("the client accepts packets with the connection id, and with its bytes swapped", () => {
    const exchange = createArdpStateMachineAfterRequest();
    exchange.receive(createReplyPacket(1, 3, "3412"), 10);
    for (const other of ["1235", "4321", "0000", "ffff"])
      exchange.receive(createReplyPacket(2, 3, other), 10);
    expect(takeArdpReplyAsHex(exchange)).toBe("01");
    exchange.receive(createReplyPacket(2, 3), 10);
    exchange.receive(createReplyPacket(3, 3, "3412"), 10);
    expect([exchange.isComplete, takeArdpReplyAsHex(exchange)]).toEqual([true, "0203"]);
  });

  it.each([
    ["44-contents-81000", 4],
    ["45-list-many", 2],
    ["46-list-thousand", 5],
    ["59b-list-names-attr", 0],
  ])("the client receives the captured reply %s with %i acknowledgements", (name, expected) => {
    const replies = readCapturedReplyDatagrams(name);
    const connectionId = replies[0]?.readUInt16BE(1) ?? 0;
    const exchange = new ArdpExchangeStateMachine({
      message: new Uint8Array(1),
      connectionId,
      limits: DEFAULT_PROSPERO_CLIENT_LIMITS,
      nowMs: 0,
    });
    let acknowledgements = exchange.takeDatagrams().length - 1;
    for (const bytes of replies) {
      exchange.receive(bytes, 10);
      acknowledgements += exchange.takeDatagrams().length;
    }
    expect([exchange.isComplete, acknowledgements]).toEqual([true, expected]);
    expect(Buffer.from(takeArdpReplyAsHex(exchange), "hex").toString("latin1")).toBe(
      readCapturedReplyText(name),
    );
  });

  it("the client acknowledges packets that request an acknowledgement, up to the first missing packet", () => {
    const exchange = createArdpStateMachineAfterRequest();
    const createRequestingPacket = (number: string): Buffer =>
      decodeHex(`0c 1234 ${number} 0000 0001 0000 80 00`);
    exchange.receive(createRequestingPacket("0002"), 10);
    exchange.receive(createReplyPacket(1, 0), 10);
    exchange.receive(createRequestingPacket("0002"), 10);
    expect(formatDatagramsAsHex(exchange.takeDatagrams())).toEqual([
      "09 1234 000000000000",
      "09 1234 000000000002",
    ]);
  });

  it.each([
    [
      "a packet number above the packet count",
      [createReplyPacket(1, 2), createReplyPacket(3, 2)],
      "packet 3 of 2",
    ],
    [
      "a packet count below a packet number",
      [createReplyPacket(5, 0), createReplyPacket(1, 3)],
      "packet 5 of 3",
    ],
    [
      "two packet counts",
      [createReplyPacket(1, 3), createReplyPacket(2, 4)],
      "the packet count was 3, and then 4",
    ],
  ])("the client rejects packets with %s", (_, packets, what) => {
    const exchange = createArdpStateMachineAfterRequest();
    expect(catchAccessError(() => packets.forEach((bytes) => exchange.receive(bytes, 10)))).toMatchObject({
      code: "protocol",
      message: `the server sends contradictory packet numbers: ${what}`,
    });
  });

  it.each([
    [3, 3],
    [3, 4],
    [64, 64],
    [64, 65],
    [64, 64_000],
  ])(
    "a client with maxProsperoPackets = %i receives %i packets while an earlier packet is missing",
    (limit, count) => {
      const exchange = createArdpStateMachineAfterRequest({ limits: { maxProsperoPackets: limit } });
      const receivePackets = (): void => {
        for (let number = 2; number <= count + 1; number++)
          exchange.receive(createReplyPacket(number, 0), 10);
      };
      if (count > limit)
        return expect(catchAccessError(receivePackets)).toMatchObject({
          code: "limit",
          limit: "maxProsperoPackets",
        });
      receivePackets();
      exchange.receive(createReplyPacket(1, count + 1), 10);
      expect(exchange.isComplete).toBe(true);
    },
  );

  // Capture 52 contains the reply of a server that expects the predecessor of ARDP.
  it.each([
    ["an empty datagram", Buffer.alloc(0)],
    ["a single character", Buffer.from("A")],
    ["a header length of 0", decodeHex("00")],
    ["an incomplete header", decodeHex("09 1234")],
    ["an incomplete option", decodeHex("0c 1234 0001 0001 0000 0000 02")],
    ["plain text", readCapturedReplyDatagrams("52-no-header-old-rdp")[0] ?? Buffer.alloc(0)],
    ["a header without a connection id", Buffer.from("\x01FAILURE NOT-FOUND\n")],
    ["the connection id 0", createReplyPacket(1, 1, "0000")],
    ["another connection id", createReplyPacket(1, 1, "1235")],
    ["a refusal with another connection id", decodeHex("0d 1235 0000 0000 0000 0000 00 01")],
    ["a redirect without a connection id", decodeHex("13 0000 0000 0000 0002 0000 00 04 7f000001 05f5")],
  ])("the client ignores a datagram without the connection id of the request: %s", (_, datagram) => {
    const exchange = createArdpStateMachineAfterRequest();
    for (let count = 0; count < 3; count++) exchange.receive(datagram, 10);
    expect([exchange.deadlineMs, exchange.redirectServer, exchange.isComplete]).toEqual([
      4_000,
      undefined,
      false,
    ]);
    expect(runExchangeWithoutReplies(exchange).end).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("(ignored datagrams without the id of the request: 3)") as string,
    });
    exchange.receive(createReplyPacket(1, 1), 10);
    expect(exchange.isComplete).toBe(true);
  });

  it("the client yields no more bytes than arbitrary datagrams contain, or throws an AccessError", () => {
    const datagram = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .tuple(
          fc.constantFrom("1234", "3412", "0000"),
          fc.integer({ min: 0, max: 6 }),
          fc.integer({ min: 0, max: 6 }),
        )
        .map(([connectionId, number, total]) => createReplyPacket(number, total, connectionId)),
      fc
        .uint8Array({ minLength: 18, maxLength: 20 })
        .map((bytes) => Buffer.from([13 + ((bytes[0] ?? 0) % 7), 0x12, 0x34, ...bytes])),
    );
    fc.assert(
      fc.property(fc.array(datagram, { maxLength: 30 }), (datagrams) => {
        const exchange = createArdpStateMachineAfterRequest();
        let bytes = 0;
        try {
          for (const each of datagrams) {
            exchange.receive(each, 10);
            bytes += takeArdpReplyAsHex(exchange).length / 2;
            exchange.takeDatagrams();
          }
        } catch (error) {
          expect(error).toBeInstanceOf(AccessError);
        }
        expect(bytes).toBeLessThanOrEqual(datagrams.reduce((sum, { length }) => sum + length, 0));
      }),
    );
  });
});
