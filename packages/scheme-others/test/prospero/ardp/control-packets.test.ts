import { describe, expect, it } from "vitest";
import {
  catchAccessError,
  createReplyPacket,
  formatDatagramsAsHex,
  decodeHex,
  createArdpStateMachineAfterRequest,
} from "./ardp-exchange-fixture.ts";

describe("the client processes control packets of an ARDP server", () => {
  it("the client rejects the request if the server refuses it", () => {
    const refused = decodeHex("0d 1234 0000 0000 0000 0000 00 01");
    expect(catchAccessError(() => createArdpStateMachineAfterRequest().receive(refused, 10))).toMatchObject({
      code: "unavailable",
    });
  });

  it("the client sends the same packets with the same connection id to the server of a redirect", () => {
    const exchange = createArdpStateMachineAfterRequest({ length: 2000 });
    exchange.receive(decodeHex("13 1234 0000 0000 0002 0000 00 04 7f000001 05f5"), 10);
    expect(exchange.redirectServer).toEqual({ address: "127.0.0.1", port: 1525 });
    expect(exchange.takeDatagrams()).toEqual([]);
    exchange.resendToRedirectServer(20);
    expect(exchange.takeDatagrams().map((bytes) => Buffer.from(bytes).readUInt16BE(3))).toEqual([1, 2]);
    expect([exchange.redirectServer, exchange.deadlineMs]).toEqual([undefined, 4_020]);
    exchange.receive(createReplyPacket(1, 1), 30);
    expect(exchange.isComplete).toBe(true);
  });

  it("the client rejects a redirect in the middle of a reply", () => {
    const exchange = createArdpStateMachineAfterRequest();
    exchange.receive(createReplyPacket(1, 2), 10);
    const redirect = decodeHex("13 1234 0000 0000 0000 0000 00 04 7f000001 05f5");
    expect(catchAccessError(() => exchange.receive(redirect, 10))).toMatchObject({ code: "protocol" });
  });

  it("the exchange stores the queue state that the server sends", () => {
    const exchange = createArdpStateMachineAfterRequest();
    exchange.receive(decodeHex("14 1234 0000 0000 0000 0000 00 fe 03 0007 0000012c"), 10);
    expect(exchange.queueState).toEqual({ position: 7, expectedWaitSeconds: 300 });
  });

  it("the exchange creates a cancel packet only while the reply is incomplete", () => {
    const exchange = createArdpStateMachineAfterRequest();
    expect(formatDatagramsAsHex([exchange.createCancelDatagram() ?? decodeHex("")])).toEqual([
      "0d 1234 00000000000000000001",
    ]);
    exchange.receive(createReplyPacket(1, 1), 10);
    expect(exchange.createCancelDatagram()).toBeUndefined();
  });
});
