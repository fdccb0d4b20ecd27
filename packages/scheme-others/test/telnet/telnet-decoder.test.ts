import { telnet } from "@anyscheme/scheme-others/telnet";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TelnetDecoder, type TelnetEvent } from "../../src/telnet/telnet-decoder.ts";
import {
  escapeTelnetData,
  encodeTelnetNegotiation,
  encodeTelnetSubnegotiation,
} from "../../src/telnet/telnet-encoder.ts";

const TELNET_DEFAULT_LIMITS = mergeDefaultLimitsOfSchemes([telnet()]);

/** Returns the Telnet events in the given chunks. Joins adjacent data events. */
function decodeTelnetStream(
  chunks: readonly Uint8Array[],
  { binary = false, limits = TELNET_DEFAULT_LIMITS } = {},
): unknown[] {
  const decoder = new TelnetDecoder(limits);
  decoder.isBinary = binary;
  const events: unknown[] = [];
  let data: Uint8Array[] = [];
  const addData = (): void => {
    if (data.length > 0) events.push(Buffer.concat(data).toString("latin1"));
    data = [];
  };
  for (const piece of chunks) {
    for (const event of decoder.decode(piece)) {
      if (event.kind === "data") {
        data.push(Uint8Array.from(event.bytes));
        continue;
      }
      addData();
      events.push(formatTelnetEvent(event));
    }
  }
  addData();
  return events;
}

function formatTelnetEvent(event: Exclude<TelnetEvent, { kind: "data" }>): unknown {
  if (event.kind === "command") return [event.command];
  if (event.kind === "negotiation") return [event.verb, event.option];
  return ["SB", event.option, [...event.parameters]];
}

const toLatin1Bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

const decodedStreams: [stream: string, events: unknown[]][] = [
  ["", []],
  ["hello\r\n", ["hello\r\n"]],
  // RFC 854: "IAC IAC" is the data byte 255.
  ["a\xff\xffb", ["a\xffb"]],
  ["\xff\xff\xff\xff", ["\xff\xff"]],
  // "the sequence "CR NUL" must be used where a carriage return alone is actually desired"
  ["a\r\0b", ["a\rb"]],
  ["\r\0\0", ["\r\0"]],
  ["\r\r\0\n", ["\r\r\n"]],
  ["a\0b", ["a\0b"]],
  ["a\rb", ["a\rb"]],
  ["\xff\xfb\x01", [["WILL", 1]]],
  [
    "\xff\xfc\x01\xff\xfd\x18\xff\xfe\x03",
    [
      ["WONT", 1],
      ["DO", 24],
      ["DONT", 3],
    ],
  ],
  ["a\xff\xf1b\xff\xf9", ["a", [241], "b", [249]]],
  // A Telnet option may have the number of a Telnet command.
  ["\xff\xfb\xff", [["WILL", 255]]],
  ["\xff\xfa\x18\x01\xff\xf0x", [["SB", 24, [1]], "x"]],
  ["\xff\xfa\x1f\xff\xff\x00\xff\xf0", [["SB", 31, [255, 0]]]],
  ["\xff\xfa\x18\xff\xf0", [["SB", 24, []]]],
  ["\xff\xfa\x05\r\0\xff\xf0", [["SB", 5, [13, 0]]]],
  // The decoder ignores a subnegotiation without its end. The decoder processes the bytes after the subnegotiation.
  ["\xff\xfa\x18\x01\xff\xfd\x18x", [["DO", 24], "x"]],
  ["\xff\xfa\x18\x01\xff\xfa\x1f\x02\xff\xf0", [["SB", 31, [2]]]],
  // The end of a subnegotiation may follow "IAC SB" directly. No option has the number 255 in a subnegotiation.
  ["\xff\xfa\xff\xf0x", [["SB", 255, []], "x"]],
  ["\xff\xfa\xff\xfd\x18x", [["DO", 24], "x"]],
  // The end of a subnegotiation without its beginning, and a byte that is not a command, are decoded as commands.
  ["\xff\xf0x\xff\x00y", [[240], "x", [0], "y"]],
  // The decoder ignores an incomplete command at the end of the stream.
  ["a\xff", ["a"]],
  ["a\xff\xfd", ["a"]],
  ["a\xff\xfa\x18\x01", ["a"]],
];

describe("TelnetDecoder decodes Telnet streams", () => {
  it.each(decodedStreams)("TelnetDecoder decodes the Telnet stream %j", (stream, events) => {
    expect(decodeTelnetStream([toLatin1Bytes(stream)])).toEqual(events);
  });

  it.each(decodedStreams)(
    "TelnetDecoder decodes the Telnet stream %j, split at any position",
    (stream, events) => {
      for (let at = 0; at <= stream.length; at++)
        expect(
          decodeTelnetStream([toLatin1Bytes(stream.slice(0, at)), toLatin1Bytes(stream.slice(at))]),
        ).toEqual(events);
      expect(decodeTelnetStream([...toLatin1Bytes(stream)].map((byte) => Uint8Array.of(byte)))).toEqual(
        events,
      );
    },
  );

  it("TelnetDecoder decodes random Telnet streams equally for any split into chunks", () => {
    const special = fc.constantFrom(0, 10, 13, 240, 250, 251, 253, 255);
    const stream = fc
      .array(fc.oneof(special, fc.nat(255)), { maxLength: 60 })
      .map((list) => Uint8Array.from(list));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(60)), fc.boolean(), (whole, cuts, binary) => {
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b),
          whole.length,
        ];
        const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(decodeTelnetStream(chunks, { binary })).toEqual(decodeTelnetStream([whole], { binary }));
      }),
    );
  });

  it("TelnetDecoder keeps CR NUL after the switch to binary transmission", () => {
    expect(decodeTelnetStream([toLatin1Bytes("a\r\0b\xff\xff")], { binary: true })).toEqual(["a\r\0b\xff"]);
    const decoder = new TelnetDecoder(TELNET_DEFAULT_LIMITS);
    const data: number[] = [];
    for (const event of decoder.decode(toLatin1Bytes("\r\0\xff\xfb\0\r\0"))) {
      if (event.kind === "data") data.push(...event.bytes);
      else decoder.isBinary = true;
    }
    expect(data).toEqual([13, 13, 0]);
  });

  it.each([1, 7, Infinity])(
    "TelnetDecoder limits the length of a subnegotiation in chunks of %s bytes",
    (size) => {
      const limits = mergeLimits({ maxSubnegotiationBytes: 10 }, TELNET_DEFAULT_LIMITS);
      const decodeSubnegotiation = (count: number): unknown[] => {
        const stream = toLatin1Bytes(`\xff\xfa\x18${"x".repeat(count)}\xff\xf0`);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
        return decodeTelnetStream(chunks, { limits });
      };
      expect(decodeSubnegotiation(9)).toHaveLength(1);
      expect(decodeSubnegotiation(10)).toHaveLength(1);
      for (const count of [11, 10_000])
        expect(() => decodeSubnegotiation(count)).toThrow(
          expect.objectContaining({ code: "limit", limit: "maxSubnegotiationBytes" }),
        );
    },
  );
});

describe("escapeTelnetData encodes Telnet data", () => {
  const encoded: [data: string, text: string, binary: string][] = [
    ["abc", "abc", "abc"],
    ["\xff", "\xff\xff", "\xff\xff"],
    ["\r", "\r\0", "\r"],
    ["\r\n", "\r\n", "\r\n"],
    ["\r\r\n\r", "\r\0\r\n\r\0", "\r\r\n\r"],
    ["\r\xff\r\0", "\r\0\xff\xff\r\0\0", "\r\xff\xff\r\0"],
    ["\n", "\n", "\n"],
  ];
  it.each(encoded)("escapeTelnetData encodes the Telnet data %j", (data, text, binary) => {
    expect(Buffer.from(escapeTelnetData(toLatin1Bytes(data), false)).toString("latin1")).toBe(text);
    expect(Buffer.from(escapeTelnetData(toLatin1Bytes(data), true)).toString("latin1")).toBe(binary);
  });

  it("escapeTelnetData encodes random data that decodes to the same data without commands", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (data, binary) => {
        const expected = data.length === 0 ? [] : [Buffer.from(data).toString("latin1")];
        expect(decodeTelnetStream([escapeTelnetData(data, binary)], { binary })).toEqual(expected);
      }),
    );
  });

  it("encodeTelnetNegotiation and encodeTelnetSubnegotiation encode commands that decode to the same events", () => {
    expect(decodeTelnetStream([encodeTelnetNegotiation("DONT", 39)])).toEqual([["DONT", 39]]);
    fc.assert(
      fc.property(fc.nat(254), fc.uint8Array(), (option, parameters) => {
        expect(decodeTelnetStream([encodeTelnetSubnegotiation(option, parameters)])).toEqual([
          ["SB", option, [...parameters]],
        ]);
      }),
    );
  });
});
