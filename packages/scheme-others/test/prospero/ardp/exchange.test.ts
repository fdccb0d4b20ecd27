import { prospero } from "@anyscheme/scheme-others/prospero";
import { AccessError, type ClientLimits } from "@anyscheme/core";
import { defaultLimits, mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArdpExchange } from "../../../src/prospero/ardp/exchange.ts";
import { replyDatagrams, replyText } from "../capture.ts";

const LIMITS = defaultLimits([prospero()]);

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const shown = (datagrams: readonly Uint8Array[]): string[] =>
  datagrams.map((bytes) =>
    Buffer.from(bytes)
      .toString("hex")
      .replace(/^(.{2})(.{4})/, "$1 $2 "),
  );

/** Creates an exchange with the connection id 1234 that has sent its request. Default: one packet. */
function begun({
  length = 1,
  limits = {},
  alone = false,
}: { length?: number; limits?: Partial<ClientLimits>; alone?: boolean } = {}): ArdpExchange {
  const conversation = new ArdpExchange({
    message: new Uint8Array(length),
    cid: 0x1234,
    limits: mergeLimits(limits, LIMITS),
    nowMs: 0,
    isFirstRequest: alone,
  });
  conversation.takeDatagrams();
  return conversation;
}

/** Creates a packet of the reply with its number, the total, and one byte of data. */
const packet = (number: number, total: number, cid = "1234"): Buffer =>
  hex(
    `07 ${cid} ${number.toString(16).padStart(4, "0")} ${total.toString(16).padStart(4, "0")} ${(number & 0xff).toString(16).padStart(2, "0")}`,
  );

function given(conversation: ArdpExchange): string {
  const pieces: Uint8Array[] = [];
  for (let bytes = conversation.takeChunk(); bytes; bytes = conversation.takeChunk()) pieces.push(bytes);
  return Buffer.concat(pieces).toString("hex");
}

function failureOf(work: () => void): Partial<AccessError> {
  try {
    work();
  } catch (error) {
    if (error instanceof AccessError) return { code: error.code, limit: error.limit, message: error.message };
    throw error;
  }
  throw new Error("nothing failed");
}

/** Runs the exchange without replies. Returns the seconds at which it sends, and its error. */
function silence(conversation: ArdpExchange): {
  sentAtSeconds: number[];
  end: Partial<AccessError>;
  endSeconds: number;
} {
  const sentAtSeconds: number[] = [];
  for (;;) {
    const nowMs = conversation.deadlineMs;
    try {
      conversation.onTimeout(nowMs);
    } catch (error) {
      const { code, limit, message } = error as AccessError;
      return { sentAtSeconds, end: { code, limit, message }, endSeconds: nowMs / 1000 };
    }
    if (conversation.takeDatagrams().length > 0) sentAtSeconds.push(nowMs / 1000);
  }
}

describe("the packets of a reply", () => {
  it.each([
    ["in order", [1, 2, 3, 4]],
    ["backwards", [4, 3, 2, 1]],
    ["doubled", [1, 1, 2, 3, 3, 3, 4]],
    ["doubled after the end", [2, 1, 4, 3, 3]],
  ])("%s", (_, order) => {
    const conversation = begun();
    for (const number of order) conversation.receive(packet(number, 4), 10);
    expect([conversation.isComplete, given(conversation), conversation.isFullyRead]).toEqual([
      true,
      "01020304",
      true,
    ]);
    expect(conversation.takeDatagrams()).toEqual([]);
  });

  it("end when the total is known, in any packet", () => {
    const conversation = begun();
    for (const bytes of [packet(1, 0), packet(2, 0), packet(3, 0)]) conversation.receive(bytes, 10);
    expect(conversation.isComplete).toBe(false);
    conversation.receive(packet(2, 3), 10);
    expect([conversation.isComplete, given(conversation)]).toEqual([true, "010203"]);
  });

  it("are recognized by the id, and by the id with its bytes swapped", () => {
    const conversation = begun();
    conversation.receive(packet(1, 3, "3412"), 10);
    for (const other of ["1235", "4321", "0000", "ffff"]) conversation.receive(packet(2, 3, other), 10);
    expect(given(conversation)).toBe("01");
    conversation.receive(packet(2, 3), 10);
    conversation.receive(packet(3, 3, "3412"), 10);
    expect([conversation.isComplete, given(conversation)]).toEqual([true, "0203"]);
  });

  it("without an id are accepted by the first request of a socket", () => {
    for (const alone of [true, false]) {
      const conversation = begun({ alone });
      conversation.receive(packet(1, 1, "0000"), 10);
      expect(conversation.isComplete).toBe(alone);
    }
  });

  it.each([
    ["44-contents-81000", 4],
    ["45-list-many", 2],
    ["46-list-thousand", 5],
    ["59b-list-names-attr", 0],
    ["25-v1-list", 0],
  ])("%s: with %i acknowledgements", (name, expected) => {
    const replies = replyDatagrams(name);
    const cid = replies[0]?.readUInt16BE(1) ?? 0;
    const conversation = new ArdpExchange({
      message: new Uint8Array(1),
      cid: cid || 0x0ee3,
      limits: LIMITS,
      nowMs: 0,
      isFirstRequest: true,
    });
    let acknowledgements = conversation.takeDatagrams().length - 1;
    for (const bytes of replies) {
      conversation.receive(bytes, 10);
      acknowledgements += conversation.takeDatagrams().length;
    }
    expect([conversation.isComplete, acknowledgements]).toEqual([true, expected]);
    expect(Buffer.from(given(conversation), "hex").toString("latin1")).toBe(replyText(name));
  });

  it("that request it are acknowledged, up to the first missing one", () => {
    const conversation = begun();
    const asking = (number: string): Buffer => hex(`0c 1234 ${number} 0000 0001 0000 80 00`);
    conversation.receive(asking("0002"), 10);
    conversation.receive(packet(1, 0), 10);
    conversation.receive(asking("0002"), 10);
    expect(shown(conversation.takeDatagrams())).toEqual(["09 1234 000000000000", "09 1234 000000000002"]);
  });

  it.each([
    ["a number beyond the total", [packet(1, 2), packet(3, 2)], "packet 3 of 2"],
    ["a total below a number", [packet(5, 0), packet(1, 3)], "packet 5 of 3"],
    ["two totals", [packet(1, 3), packet(2, 4)], "a total of 3, and then 4"],
  ])("with %s are refused", (_, packets, what) => {
    const conversation = begun();
    expect(failureOf(() => packets.forEach((bytes) => conversation.receive(bytes, 10)))).toMatchObject({
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
  ])("under a limit of %i, %i may come before one that is missing", (limit, count) => {
    const conversation = begun({ limits: { maxProsperoPackets: limit } });
    const fill = (): void => {
      for (let number = 2; number <= count + 1; number++) conversation.receive(packet(number, 0), 10);
    };
    if (count > limit)
      return expect(failureOf(fill)).toMatchObject({ code: "limit", limit: "maxProsperoPackets" });
    fill();
    conversation.receive(packet(1, count + 1), 10);
    expect(conversation.isComplete).toBe(true);
  });

  it("that are no packets are nothing, but for text", () => {
    const conversation = begun();
    for (const bytes of ["", "00", "09 1234", "0c 1234 0001 0001 0000 0000 02"])
      conversation.receive(hex(bytes), 10);
    expect(conversation.deadlineMs).toBe(4_000);
    // The reply in capture 52, from a server that expects the predecessor of ARDP.
    expect(
      failureOf(() =>
        conversation.receive(
          replyDatagrams("52-no-header-old-rdp")[0] ?? Buffer.from("ERROR Unknown message: ASCII /srv\n"),
          10,
        ),
      ),
    ).toMatchObject({
      code: "protocol",
      message: expect.stringMatching(
        /^the server uses another protocol: ERROR Unknown message: ASCII \/srv/,
      ) as string,
    });
  });

  it("of any bytes fail only with AccessErrors, and return nothing that was not received", () => {
    const datagram = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .tuple(
          fc.constantFrom("1234", "3412", "0000"),
          fc.integer({ min: 0, max: 6 }),
          fc.integer({ min: 0, max: 6 }),
        )
        .map(([cid, number, total]) => packet(number, total, cid)),
      fc
        .uint8Array({ minLength: 18, maxLength: 20 })
        .map((bytes) => Buffer.from([13 + ((bytes[0] ?? 0) % 7), 0x12, 0x34, ...bytes])),
    );
    fc.assert(
      fc.property(fc.array(datagram, { maxLength: 30 }), (datagrams) => {
        const conversation = begun({ alone: true });
        let bytes = 0;
        try {
          for (const each of datagrams) {
            conversation.receive(each, 10);
            bytes += given(conversation).length / 2;
            conversation.takeDatagrams();
          }
        } catch (error) {
          expect(error).toBeInstanceOf(AccessError);
        }
        expect(bytes).toBeLessThanOrEqual(datagrams.reduce((sum, { length }) => sum + length, 0));
      }),
    );
  });
});

describe("if nothing arrives", () => {
  const never: Partial<ClientLimits> = {
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
    ["at all", [], never, [4, 12, 28], 60, "the server did not answer after 4 attempts"],
    ["at all, under the limits", [], {}, [4, 12, 28], 30, "the server did not answer"],
    [
      "behind the first packet",
      ["07 1234 0001 0000 61"],
      never,
      [5, 13, 29],
      61,
      "the server fell silent after 4 attempts",
    ],
    [
      "behind the first packet, under the limits",
      ["07 1234 0001 0000 61"],
      {},
      [5, 13, 29],
      31,
      "the server fell silent",
    ],
    [
      "but a wait of 30 seconds",
      ["0b 1234 0000 0000 0001 001e"],
      never,
      [31, 39, 55],
      87,
      "after 4 attempts",
    ],
    [
      "but a wait of 1 second, which is shorter than our own",
      ["0b 1234 0000 0000 0001 0001"],
      never,
      [5, 13, 29],
      61,
      "after 4 attempts",
    ],
    [
      "but a wait of 18 hours",
      ["0b 1234 0000 0000 0001 ffff"],
      {},
      [],
      91,
      "the server requested too long a wait",
    ],
    [
      "but a wait that is taken back",
      ["0b 1234 0000 0000 0001 ffff", "0b 1234 0000 0000 0001 0000"],
      never,
      [5, 13, 29],
      61,
      "after 4 attempts",
    ],
    [
      "but a wait, and then a packet",
      ["0b 1234 0000 0000 0001 ffff", "07 1234 0001 0000 61"],
      {},
      [5, 13, 29],
      31,
      "the server fell silent",
    ],
    [
      "but a packet that came already",
      ["07 1234 0001 0000 61", "07 1234 0001 0000 61"],
      {},
      [5, 13, 29],
      31,
      "the server fell silent",
    ],
    [
      "but a packet of another peer",
      ["07 9999 0001 0000 61"],
      {},
      [4, 12, 28],
      30,
      "the server did not answer",
    ],
  ])("%s", (_, packets, limits, sentAt, end, message) => {
    const conversation = begun({ limits });
    for (const bytes of packets) conversation.receive(hex(bytes), 1_000);
    conversation.takeDatagrams();
    const found = silence(conversation);
    expect([found.sentAtSeconds, found.endSeconds]).toEqual([sentAt, end]);
    expect(found.end.code).toBe("timeout");
    expect(found.end.message).toContain(message);
  });

  it("a server that requests a wait again and again reaches maxProsperoWaitMs", () => {
    const conversation = begun();
    let nowMs = 0;
    const ask = (): void => {
      for (; nowMs < 10_000_000; nowMs += 5_000) {
        while (conversation.deadlineMs <= nowMs) conversation.onTimeout(conversation.deadlineMs);
        conversation.receive(hex("0b 1234 0000 0000 0001 000a"), nowMs);
      }
    };
    expect(failureOf(ask)).toMatchObject({ code: "timeout", limit: "maxProsperoWaitMs" });
    expect(nowMs).toBe(90_000);
  });

  it("a server that repeats a lower acknowledgement reaches idleTimeoutMs", () => {
    const conversation = begun({ limits: { idleTimeoutMs: 20_000 } });
    const takesBack = hex("0d 1234 0000 0000 0000 0000 00 02");
    const acknowledges = hex("09 1234 0000 0000 0001");
    const silent = (): void => {
      for (let nowMs = 0; nowMs < 60_000; nowMs += 1_000) {
        conversation.receive(acknowledges, nowMs);
        conversation.receive(takesBack, nowMs);
        if (nowMs >= conversation.deadlineMs) conversation.onTimeout(nowMs);
      }
    };
    expect(failureOf(silent)).toMatchObject({ code: "timeout" });
  });

  it("the request is sent again, and after the first packet the acknowledgement", () => {
    const conversation = begun();
    conversation.onTimeout(4_000);
    expect(shown(conversation.takeDatagrams())).toEqual(["09 1234 00010001000000"]);
    // The first packet is missing. The server sends all packets again after another request.
    conversation.receive(packet(2, 0), 5_000);
    conversation.onTimeout(9_000);
    expect(shown(conversation.takeDatagrams())).toEqual(["09 1234 00010001000000"]);
    conversation.receive(packet(1, 0), 10_000);
    conversation.onTimeout(14_000);
    expect(shown(conversation.takeDatagrams())).toEqual(["09 1234 000000000002"]);
  });

  it("does nothing too early", () => {
    const conversation = begun();
    conversation.onTimeout(3_999);
    expect(conversation.takeDatagrams()).toEqual([]);
  });

  it("while nothing is read, nothing is lost", () => {
    const conversation = begun();
    conversation.receive(packet(1, 0), 1_000);
    conversation.pause(600_000);
    expect(conversation.deadlineMs).toBe(605_000);
  });
});

describe("a request of many packets", () => {
  const numbers = (conversation: ArdpExchange): number[] =>
    conversation.takeDatagrams().map((bytes) => Buffer.from(bytes).readUInt16BE(3));
  const upTo = (last: number, first = 1): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const fresh = (length: number): ArdpExchange =>
    new ArdpExchange({ message: new Uint8Array(length), cid: 0x1234, limits: LIMITS, nowMs: 0 });

  it("is sent a window at a time, and the last packet requests an acknowledgement", () => {
    const conversation = fresh(40 * 1250);
    const first = conversation.takeDatagrams();
    expect(shown([first.at(-1)?.subarray(0, 12) ?? hex("")])).toEqual(["0c 1234 001000280000000080"]);
    expect(first).toHaveLength(16);
    conversation.receive(hex("09 1234 0000 0000 0010"), 10);
    expect(numbers(conversation)).toEqual(upTo(32, 17));
    // The server has acknowledged part of a window. The exchange sends each of the next packets once.
    conversation.receive(hex("09 1234 0000 0000 0012"), 20);
    expect(numbers(conversation)).toEqual([33, 34]);
    conversation.onTimeout(4_020);
    expect(numbers(conversation)).toEqual(upTo(34, 19));
    conversation.receive(hex("09 1234 0000 0000 0028"), 5_000);
    expect(numbers(conversation)).toEqual([]);
  });

  it.each([
    ["a smaller window", "0f 1234 0000 0000 0010 0000 08 00 0004", upTo(20, 17)],
    ["a window of none, which is one", "0f 1234 0000 0000 0010 0000 08 00 0000", [17]],
    ["a larger window", "0f 1234 0000 0000 0010 0000 08 00 0100", upTo(40, 17)],
    ["to go back", "0d 1234 0000 0000 0005 0000 00 02", upTo(21, 6)],
    ["an acknowledgement of what was not sent", "09 1234 0000 0000 0011", []],
  ])("heeds %s", (_, bytes, sent) => {
    const conversation = fresh(40 * 1250);
    conversation.takeDatagrams();
    conversation.receive(hex(bytes), 10);
    expect(numbers(conversation)).toEqual(sent);
  });

  it("has arrived when the reply comes", () => {
    const conversation = fresh(3 * 1250);
    expect(numbers(conversation)).toEqual([1, 2, 3]);
    conversation.receive(packet(2, 0), 10);
    conversation.onTimeout(4_010);
    expect(numbers(conversation)).toEqual([3]);
  });

  it("is one packet when it is empty", () => {
    expect(shown(fresh(0).takeDatagrams())).toEqual(["09 1234 000100010000"]);
  });
});

describe("a server that does not want to", () => {
  it("refuses", () => {
    const refused = hex("0d 1234 0000 0000 0000 0000 00 01");
    expect(failureOf(() => begun().receive(refused, 10))).toMatchObject({ code: "unavailable" });
  });

  it("redirects: the same packets go to another server, under the same id", () => {
    const conversation = begun({ length: 2000 });
    conversation.receive(hex("13 1234 0000 0000 0002 0000 00 04 7f000001 05f5"), 10);
    expect(conversation.redirect).toEqual({ address: "127.0.0.1", port: 1525 });
    expect(conversation.takeDatagrams()).toEqual([]);
    conversation.restart(20);
    expect(conversation.takeDatagrams().map((bytes) => Buffer.from(bytes).readUInt16BE(3))).toEqual([1, 2]);
    expect([conversation.redirect, conversation.deadlineMs]).toEqual([undefined, 4_020]);
    conversation.receive(packet(1, 1), 30);
    expect(conversation.isComplete).toBe(true);
  });

  it("may not redirect in the middle of a reply", () => {
    const conversation = begun();
    conversation.receive(packet(1, 2), 10);
    const redirect = hex("13 1234 0000 0000 0000 0000 00 04 7f000001 05f5");
    expect(failureOf(() => conversation.receive(redirect, 10))).toMatchObject({ code: "protocol" });
  });

  it("sends its queue state", () => {
    const conversation = begun();
    conversation.receive(hex("14 1234 0000 0000 0000 0000 00 fe 03 0007 0000012c"), 10);
    expect(conversation.queue).toEqual({ position: 7, seconds: 300 });
  });

  it("gets a cancel until its reply is complete", () => {
    const conversation = begun();
    expect(shown([conversation.cancel() ?? hex("")])).toEqual(["0d 1234 00000000000000000001"]);
    conversation.receive(packet(1, 1), 10);
    expect(conversation.cancel()).toBeUndefined();
  });
});
