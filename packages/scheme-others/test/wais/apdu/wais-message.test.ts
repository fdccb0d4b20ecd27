import { wais } from "@anyscheme/scheme-others/wais";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import { encodeWaisMessage, WaisMessageReader } from "../../../src/wais/apdu/wais-message.ts";
import { extractApdu, captureNames, readCapturedExchanges } from "../read-captures.ts";

const WAIS_DEFAULT_LIMITS = mergeDefaultLimitsOfSchemes([wais()]);

const createWaisHeader = (length: string, rest = "z2wais        0"): Buffer =>
  Buffer.from(length + rest, "latin1");

describe("WAIS messages", () => {
  it("the client encodes a WAIS message with a length of ten digits and a header of 25 bytes", () => {
    expect(Buffer.from(encodeWaisMessage(Buffer.from("abc"))).toString("latin1")).toBe(
      "0000000003z2wais        0abc",
    );
  });

  it.each([1, 24, 25, 26, 1000])(
    "WaisMessageReader assembles a WAIS message from chunks of %i bytes",
    (size) => {
      const apdu = Buffer.alloc(70_000, "0123456789");
      const message = encodeWaisMessage(apdu);
      const reader = new WaisMessageReader(WAIS_DEFAULT_LIMITS);
      let read: Uint8Array | undefined;
      let early = 0;
      for (let at = 0; at < message.length; at += size) {
        if (read) early++;
        read = reader.push(message.subarray(at, at + size));
      }
      expect([early, apdu.equals(read ?? new Uint8Array(0))]).toEqual([0, true]);
    },
  );

  it("the client decodes an empty WAIS message", () => {
    const reader = new WaisMessageReader(WAIS_DEFAULT_LIMITS);
    expect(reader.hasStarted).toBe(false);
    expect(reader.push(createWaisHeader("0000000000"))).toEqual(new Uint8Array(0));
    expect(reader.hasStarted).toBe(true);
  });

  it("the client decodes each captured WAIS message and encodes the same bytes", () => {
    for (const name of captureNames.filter((each) => !/h$|version/.test(each))) {
      for (const { response } of readCapturedExchanges(name)) {
        if (!response) continue;
        const apdu = new WaisMessageReader(WAIS_DEFAULT_LIMITS).push(response);
        expect(apdu && Buffer.from(apdu)).toEqual(extractApdu(response));
        expect(Buffer.from(encodeWaisMessage(apdu ?? new Uint8Array(0)))).toEqual(response);
      }
    }
  });

  it.each([
    ["a response of another protocol", "HTTP/1.0 400 Bad Request\r\n", /no WAIS message/],
    ["a length field padded with blanks instead of zeros", "       222z2wais        0", /no WAIS message/],
    ["a length field with a sign", "-000000001z2wais        0", /no WAIS message/],
    ["a message of the acknowledgement type", "0000000000a2wais        0", /no WAIS message/],
    [
      "a message with the version 3",
      "0000000001z3wais        0x",
      /unsupported version, compression or encoding/,
    ],
    ["a compressed message", "0000000001z2wais      u 0x", /unsupported version, compression or encoding/],
    [
      'a message whose encoding field is "h"',
      "0000000001z2wais       h0x",
      /unsupported version, compression or encoding/,
    ],
    ["bytes after the end of the message", "0000000001z2wais        0xy", /sent further bytes/],
  ])("the client rejects a WAIS message: %s", (_name, text, message) => {
    const read = (): unknown => new WaisMessageReader(WAIS_DEFAULT_LIMITS).push(Buffer.from(text, "latin1"));
    expect(read).toThrow(
      expect.objectContaining({ code: "protocol", message: expect.stringMatching(message) as string }),
    );
  });

  it.each([
    ["a length one byte below maxWaisApduBytes", 999, undefined],
    ["a length equal to maxWaisApduBytes", 1000, undefined],
    ["a length one byte above maxWaisApduBytes", 1001, "limit"],
    ["a hundred megabytes", 100_000_000, "limit"],
    ["the largest length with ten digits", 9_999_999_999, "limit"],
  ])("the client limits the announced length of a WAIS message: %s", (_name, length, code) => {
    const reader = new WaisMessageReader(mergeLimits({ maxWaisApduBytes: 1000 }, WAIS_DEFAULT_LIMITS));
    const read = (): unknown => reader.push(createWaisHeader(String(length).padStart(10, "0")));
    if (code === undefined) expect(read()).toBeUndefined();
    else expect(read).toThrow(expect.objectContaining({ code, limit: "maxWaisApduBytes" }));
  });
});
