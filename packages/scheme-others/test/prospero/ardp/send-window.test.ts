import { describe, expect, it } from "vitest";
import { ArdpExchangeStateMachine } from "../../../src/prospero/ardp/ardp-exchange-state-machine.ts";
import {
  DEFAULT_PROSPERO_CLIENT_LIMITS,
  createReplyPacket,
  formatDatagramsAsHex,
  decodeHex,
} from "./ardp-exchange-fixture.ts";

describe("the client splits an ARDP request into packets", () => {
  const takePacketNumbers = (exchange: ArdpExchangeStateMachine): number[] =>
    exchange.takeDatagrams().map((bytes) => Buffer.from(bytes).readUInt16BE(3));
  const rangeTo = (last: number, first = 1): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const createExchange = (length: number): ArdpExchangeStateMachine =>
    new ArdpExchangeStateMachine({
      message: new Uint8Array(length),
      connectionId: 0x1234,
      limits: DEFAULT_PROSPERO_CLIENT_LIMITS,
      nowMs: 0,
    });

  it("the client sends one window of a request at a time, and requests an acknowledgement in its last packet", () => {
    const exchange = createExchange(40 * 1250);
    const first = exchange.takeDatagrams();
    expect(formatDatagramsAsHex([first.at(-1)?.subarray(0, 12) ?? decodeHex("")])).toEqual([
      "0c 1234 001000280000000080",
    ]);
    expect(first).toHaveLength(16);
    exchange.receive(decodeHex("09 1234 0000 0000 0010"), 10);
    expect(takePacketNumbers(exchange)).toEqual(rangeTo(32, 17));
    // The server has acknowledged part of a window. The exchange sends each of the following packets once.
    exchange.receive(decodeHex("09 1234 0000 0000 0012"), 20);
    expect(takePacketNumbers(exchange)).toEqual([33, 34]);
    exchange.onTimeout(4_020);
    expect(takePacketNumbers(exchange)).toEqual(rangeTo(34, 19));
    exchange.receive(decodeHex("09 1234 0000 0000 0028"), 5_000);
    expect(takePacketNumbers(exchange)).toEqual([]);
  });

  it.each([
    ["a smaller window", "0f 1234 0000 0000 0010 0000 08 00 0004", rangeTo(20, 17)],
    ["a window of 0 packets, which counts as 1", "0f 1234 0000 0000 0010 0000 08 00 0000", [17]],
    ["a larger window", "0f 1234 0000 0000 0010 0000 08 00 0100", rangeTo(40, 17)],
    ["a lower acknowledgement", "0d 1234 0000 0000 0005 0000 00 02", rangeTo(21, 6)],
    ["an acknowledgement of a packet that was not sent", "09 1234 0000 0000 0011", []],
  ])("the client sends the next packets after %s", (_, bytes, sent) => {
    const exchange = createExchange(40 * 1250);
    exchange.takeDatagrams();
    exchange.receive(decodeHex(bytes), 10);
    expect(takePacketNumbers(exchange)).toEqual(sent);
  });

  it("the client treats the request as acknowledged when the reply begins", () => {
    const exchange = createExchange(3 * 1250);
    expect(takePacketNumbers(exchange)).toEqual([1, 2, 3]);
    exchange.receive(createReplyPacket(2, 0), 10);
    exchange.onTimeout(4_010);
    expect(takePacketNumbers(exchange)).toEqual([3]);
  });

  it("the client sends an empty request in one packet", () => {
    expect(formatDatagramsAsHex(createExchange(0).takeDatagrams())).toEqual(["09 1234 000100010000"]);
  });
});
