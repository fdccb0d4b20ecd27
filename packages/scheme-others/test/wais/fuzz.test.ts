import { wais } from "@anyscheme/scheme-others/wais";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import { AccessError } from "@anyscheme/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeWaisInitResponse } from "../../src/wais/apdu/init-apdus.ts";
import { encodeApduElements } from "../../src/wais/apdu/elements.ts";
import { encodeWaisMessage, WaisMessageReader } from "../../src/wais/apdu/wais-message.ts";
import { decodeWpath, parseWaisSource } from "../../src/wais/index.ts";
import { readCapturedResponseApdus, decodeSearchResponseApdu as decodeRecords } from "./read-captures.ts";

const WAIS_DEFAULT_LIMITS = mergeDefaultLimitsOfSchemes([wais()]);

/** Runs a function that may throw only an AccessError. */
function expectOnlyAccessErrors(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(AccessError);
  }
}

/** Returns a view of the bytes between other bytes, so that a read past the end finds data. */
function copyIntoLargerBuffer(bytes: Uint8Array): Uint8Array {
  const outer = Buffer.concat([Buffer.alloc(16, 0x7f), bytes, Buffer.alloc(16, 0x7f)]);
  return new Uint8Array(outer.buffer, outer.byteOffset + 16, bytes.length);
}

// The longest responses contain texts, so the test uses only responses below 1000 bytes.
const capturedApdus = readCapturedResponseApdus()
  .map(([, apdu]) => apdu)
  .filter(({ length }) => length < 1000);

/** Generates a response of a real server with some changed bytes, perhaps truncated. */
const damagedApduArbitrary = fc
  .tuple(
    fc.constantFrom(...capturedApdus),
    fc.array(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.nat({ max: 600 }),
  )
  .map(([apdu, changes, cut]) => {
    const copy = Buffer.from(apdu);
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return new Uint8Array(copy.subarray(0, cut < 300 ? copy.length : cut));
  });

describe("WAIS decoders accept or reject arbitrary input", () => {
  it.each([
    ["arbitrary bytes", fc.uint8Array({ maxLength: 300 })],
    ["damaged responses", damagedApduArbitrary],
  ])("the client throws only AccessErrors for %s and reads no byte beyond the end", (_name, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (bytes) => {
        for (const decode of [decodeRecords, decodeWaisInitResponse]) {
          expectOnlyAccessErrors(() => decode(bytes));
          let alone: unknown;
          let within: unknown;
          expectOnlyAccessErrors(() => void (alone = decode(bytes)));
          expectOnlyAccessErrors(() => void (within = decode(copyIntoLargerBuffer(bytes))));
          expect(within).toEqual(alone);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("the client decodes the same WAIS message from chunks of any size", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...capturedApdus),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 }),
        (apdu, sizes) => {
          const message = encodeWaisMessage(apdu);
          const reader = new WaisMessageReader(WAIS_DEFAULT_LIMITS);
          let found: Uint8Array | undefined;
          for (let at = 0, turn = 0; at < message.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            found = reader.push(message.subarray(at, at + size));
            at += size;
          }
          expect(Buffer.from(found ?? [])).toEqual(apdu);
        },
      ),
    );
  });

  it("the client decodes arbitrary bytes as a WAIS message or throws an AccessError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 100 }), (bytes, at) => {
        const reader = new WaisMessageReader(WAIS_DEFAULT_LIMITS);
        expectOnlyAccessErrors(() => {
          reader.push(bytes.subarray(0, at));
          reader.push(bytes.subarray(at));
        });
      }),
    );
  });

  it("the client decodes arbitrary text as a wpath and a source description or throws an AccessError", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expectOnlyAccessErrors(() => decodeWpath(one));
        expectOnlyAccessErrors(() => decodeWpath(`10/${one}=${other};`));
        parseWaisSource(Buffer.from(`(:source ${one} "${other}")`));
      }),
    );
  });

  it.each([
    ["padding", "80"],
    ["elements of nothing", "0100"],
    ["groups that are empty", "811600"],
    ["groups of empty groups", "8116078104038104008105"],
    ["diagnostics", "1c000353310100"],
    ["texts", "8119027f00"],
  ])("the client decodes 4 MiB of %s to the end or to the limit", (_name, hex) => {
    const piece = Buffer.from(hex, "hex");
    const records = Buffer.alloc(4_194_000, piece);
    const head = Buffer.from("000b1700000000000000000000", "hex");
    expectOnlyAccessErrors(() => decodeRecords(Buffer.concat([head, encodeApduElements([[99, records]])])));
    expectOnlyAccessErrors(() => decodeRecords(Buffer.concat([head, records])));
  });
});
