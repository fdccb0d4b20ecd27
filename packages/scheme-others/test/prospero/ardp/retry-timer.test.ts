import { type ClientLimits } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import {
  catchAccessError,
  createReplyPacket,
  formatDatagramsAsHex,
  decodeHex,
  runExchangeWithoutReplies,
  createArdpStateMachineAfterRequest,
} from "./ardp-exchange-fixture.ts";

describe("an ARDP exchange times out", () => {
  const noTimeouts: Partial<ClientLimits> = {
    firstByteTimeoutMs: Infinity,
    idleTimeoutMs: Infinity,
    maxProsperoWaitMs: Infinity,
  };

  it.each<
    [
      what: string,
      packets: string[],
      limits: Partial<ClientLimits>,
      sentAt: number[],
      end: number,
      message: string,
    ]
  >([
    ["nothing", [], noTimeouts, [4, 12, 28], 60, "the server did not answer after 4 attempts"],
    ["no packet, under the default limits", [], {}, [4, 12, 28], 30, "the server did not answer"],
    [
      "only the first packet",
      ["07 1234 0001 0000 61"],
      noTimeouts,
      [5, 13, 29],
      61,
      "the server stopped answering after 4 attempts",
    ],
    [
      "only the first packet, under the default limits",
      ["07 1234 0001 0000 61"],
      {},
      [5, 13, 29],
      31,
      "the server stopped answering",
    ],
    [
      "only a request to wait 30 seconds",
      ["0b 1234 0000 0000 0001 001e"],
      noTimeouts,
      [31, 39, 55],
      87,
      "after 4 attempts",
    ],
    [
      "only a request to wait 1 second, which is shorter than the timeout",
      ["0b 1234 0000 0000 0001 0001"],
      noTimeouts,
      [5, 13, 29],
      61,
      "after 4 attempts",
    ],
    [
      "only a request to wait 18 hours",
      ["0b 1234 0000 0000 0001 ffff"],
      {},
      [],
      91,
      "the server requested too long a wait",
    ],
    [
      "a request to wait, and then its cancellation",
      ["0b 1234 0000 0000 0001 ffff", "0b 1234 0000 0000 0001 0000"],
      noTimeouts,
      [5, 13, 29],
      61,
      "after 4 attempts",
    ],
    [
      "a request to wait, and then a packet",
      ["0b 1234 0000 0000 0001 ffff", "07 1234 0001 0000 61"],
      {},
      [5, 13, 29],
      31,
      "the server stopped answering",
    ],
    [
      "a packet and its duplicate",
      ["07 1234 0001 0000 61", "07 1234 0001 0000 61"],
      {},
      [5, 13, 29],
      31,
      "the server stopped answering",
    ],
    [
      "only a packet of another connection id",
      ["07 9999 0001 0000 61"],
      {},
      [4, 12, 28],
      30,
      "the server did not answer",
    ],
  ])(
    "the client computes the timeouts if the server sends %s",
    (_, packets, limits, sentAt, end, message) => {
      const exchange = createArdpStateMachineAfterRequest({ limits });
      for (const bytes of packets) exchange.receive(decodeHex(bytes), 1_000);
      exchange.takeDatagrams();
      const outcome = runExchangeWithoutReplies(exchange);
      expect([outcome.sentAtSeconds, outcome.endSeconds]).toEqual([sentAt, end]);
      expect(outcome.end.code).toBe("timeout");
      expect(outcome.end.message).toContain(message);
    },
  );

  it("the client times out after maxProsperoWaitMs if the server requests a wait repeatedly", () => {
    const exchange = createArdpStateMachineAfterRequest();
    let nowMs = 0;
    const requestWaits = (): void => {
      for (; nowMs < 10_000_000; nowMs += 5_000) {
        while (exchange.deadlineMs <= nowMs) exchange.onTimeout(exchange.deadlineMs);
        exchange.receive(decodeHex("0b 1234 0000 0000 0001 000a"), nowMs);
      }
    };
    expect(catchAccessError(requestWaits)).toMatchObject({ code: "timeout", limit: "maxProsperoWaitMs" });
    expect(nowMs).toBe(90_000);
  });

  it("the client times out after idleTimeoutMs if the server repeats a lower acknowledgement", () => {
    const exchange = createArdpStateMachineAfterRequest({ limits: { idleTimeoutMs: 20_000 } });
    const lowersAcknowledgement = decodeHex("0d 1234 0000 0000 0000 0000 00 02");
    const acknowledges = decodeHex("09 1234 0000 0000 0001");
    const repeatAcknowledgements = (): void => {
      for (let nowMs = 0; nowMs < 60_000; nowMs += 1_000) {
        exchange.receive(acknowledges, nowMs);
        exchange.receive(lowersAcknowledgement, nowMs);
        if (nowMs >= exchange.deadlineMs) exchange.onTimeout(nowMs);
      }
    };
    expect(catchAccessError(repeatAcknowledgements)).toMatchObject({ code: "timeout" });
  });

  it("the client resends the request, and resends the acknowledgement after the first packet of the reply", () => {
    const exchange = createArdpStateMachineAfterRequest();
    exchange.onTimeout(4_000);
    expect(formatDatagramsAsHex(exchange.takeDatagrams())).toEqual(["09 1234 00010001000000"]);
    // The first packet of the reply is missing. The server sends all packets again after another request.
    exchange.receive(createReplyPacket(2, 0), 5_000);
    exchange.onTimeout(9_000);
    expect(formatDatagramsAsHex(exchange.takeDatagrams())).toEqual(["09 1234 00010001000000"]);
    exchange.receive(createReplyPacket(1, 0), 10_000);
    exchange.onTimeout(14_000);
    expect(formatDatagramsAsHex(exchange.takeDatagrams())).toEqual(["09 1234 000000000002"]);
  });

  it("the client repeats no packet before the retry is due", () => {
    const exchange = createArdpStateMachineAfterRequest();
    exchange.onTimeout(3_999);
    expect(exchange.takeDatagrams()).toEqual([]);
  });

  it("the client extends the deadline by the time in which the caller did not read", () => {
    const exchange = createArdpStateMachineAfterRequest();
    exchange.receive(createReplyPacket(1, 0), 1_000);
    exchange.extendDeadlines(600_000);
    expect(exchange.deadlineMs).toBe(605_000);
  });
});
