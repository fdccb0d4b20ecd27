import { AccessError } from "@anyscheme/core";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import { prospero } from "@anyscheme/scheme-others/prospero";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simulateArdpExchange, type DatagramFaults } from "./simulated-network.ts";

const listRequest = Buffer.from("VERSION 5 test\nLIST ATTRIBUTES COMPONENTS\n");
const createReplyBytes = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
const faultlessNetwork: DatagramFaults = { seed: 1, loss: 0, duplication: 0, delayMs: [20, 20] };
const limitsWithoutTimeouts = mergeLimits(
  { firstByteTimeoutMs: Infinity, idleTimeoutMs: Infinity },
  mergeDefaultLimitsOfSchemes([prospero()]),
);

describe("ARDP exchanges succeed over a reliable network", () => {
  // Capture 46 contains 93 packets for 1 000 links, and 5 acknowledgements. The client does not acknowledge the last
  // window.
  it.each([
    [0, 1, 0],
    [1, 1, 0],
    [1249, 1, 0],
    [1250, 2, 0],
    [16 * 1250 - 1, 16, 0],
    [16 * 1250, 17, 1],
    [92 * 1250, 93, 5],
    [96 * 1250 - 1, 96, 5],
  ])(
    "the client receives a reply of %i bytes in %i packets with %i acknowledgements",
    (length, packets, acknowledgements) => {
      const { reply, sentByServer, sentByClient } = simulateArdpExchange(
        listRequest,
        createReplyBytes(length),
        faultlessNetwork,
      );
      expect(reply?.equals(createReplyBytes(length))).toBe(true);
      expect([sentByServer, sentByClient]).toEqual([packets, 1 + acknowledgements]);
    },
  );

  // The window has 16 packets, including the packet that requests an acknowledgement.
  it.each([
    [0, 1],
    [1250, 1],
    [1251, 2],
    [16 * 1250, 16],
    [17 * 1250, 17],
    [100 * 1250, 100],
  ])("the client sends a request of %i bytes in %i packets", (length, packets) => {
    const { requests, sentByClient } = simulateArdpExchange(
      createReplyBytes(length),
      createReplyBytes(10),
      faultlessNetwork,
    );
    expect(requests.map((each) => each.equals(createReplyBytes(length)))).toEqual([true]);
    expect(sentByClient).toBe(packets);
  });
});

describe("ARDP exchanges succeed or time out over an unreliable network", () => {
  const rows: [what: string, weather: Omit<DatagramFaults, "seed">][] = [
    ["10 % loss", { loss: 0.1, duplication: 0, delayMs: [20, 20] }],
    ["30 % loss", { loss: 0.3, duplication: 0, delayMs: [20, 20] }],
    ["reordered packets", { loss: 0, duplication: 0, delayMs: [1, 500] }],
    ["duplicate packets", { loss: 0, duplication: 0.5, delayMs: [20, 20] }],
    ["10 % loss, reordered and duplicate packets", { loss: 0.1, duplication: 0.2, delayMs: [1, 500] }],
    ["30 % loss, reordered and duplicate packets", { loss: 0.3, duplication: 0.2, delayMs: [1, 500] }],
    ["90 % loss", { loss: 0.9, duplication: 0, delayMs: [20, 20] }],
    ["100 % loss", { loss: 1, duplication: 0, delayMs: [20, 20] }],
  ];

  it.each(rows)("the client receives the correct reply or times out on a network with %s", (_, weather) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 60_000 }),
        fc.integer({ min: 1, max: 30_000 }),
        (seed, length, asked) => {
          const { reply, failure, requests, endedMs } = simulateArdpExchange(
            createReplyBytes(asked),
            createReplyBytes(length),
            {
              ...weather,
              seed,
            },
          );
          for (const each of requests) expect(each.equals(createReplyBytes(asked))).toBe(true);
          if (failure === undefined) {
            expect(reply?.equals(createReplyBytes(length))).toBe(true);
          } else {
            expect(failure).toBeInstanceOf(AccessError);
            expect((failure as AccessError).code).toBe("timeout");
            expect(endedMs).toBeGreaterThanOrEqual(28_000);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [100, 0.1],
    [70, 0.3],
  ])(
    "the client receives a reply of 80 packets in at least %i of 100 simulations with a loss rate of %f",
    (least, loss) => {
      const reply = createReplyBytes(100_000);
      const correct = Array.from({ length: 100 }, (__, seed) =>
        simulateArdpExchange(
          listRequest,
          reply,
          { seed, loss, duplication: 0.05, delayMs: [1, 300] },
          limitsWithoutTimeouts,
        ),
      ).filter((outcome) => outcome.reply?.equals(reply));
      expect(correct.length).toBeGreaterThanOrEqual(least);
    },
  );

  it("the client sends a request four times, with timeouts of 4, 8, 16 and 32 seconds, if no reply arrives", () => {
    const { failure, sentByClient, endedMs } = simulateArdpExchange(
      listRequest,
      createReplyBytes(1),
      { ...faultlessNetwork, loss: 1 },
      limitsWithoutTimeouts,
    );
    expect(failure).toMatchObject({
      code: "timeout",
      message: "the server did not answer after 4 attempts",
    });
    expect([sentByClient, endedMs]).toEqual([4, 60_000]);
  });

  it("the client times out after firstByteTimeoutMs before the fourth attempt ends", () => {
    const { failure, sentByClient, endedMs } = simulateArdpExchange(listRequest, createReplyBytes(1), {
      ...faultlessNetwork,
      loss: 1,
    });
    expect(failure).toMatchObject({ code: "timeout", limit: "firstByteTimeoutMs" });
    expect([sentByClient, endedMs]).toEqual([4, 30_000]);
  });
});
