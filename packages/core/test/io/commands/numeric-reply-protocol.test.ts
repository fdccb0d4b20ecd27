import { describe, expect, it } from "vitest";
import { createNumericReplyProtocol, parseSingleLineNumericReply } from "../../../src/io/index.ts";
import { mergeLimits } from "../../../src/policy/limits.ts";
import { createSendStep } from "../../../src/scheme/plan.ts";

const protocol = createNumericReplyProtocol({ name: "DICT" });
const command = createSendStep(Buffer.from("DEFINE\r\n"), "x", "DEFINE");

describe("a protocol with numeric replies of one line", () => {
  it("the parser returns one reply at a time, from chunks of any size", () => {
    const parser = protocol.createParser(mergeLimits());
    expect(parser.push(Buffer.from("25")).reply).toBeUndefined();
    expect(parser.partialReply).toBe("25");
    expect(parser.push(Buffer.from("0 ok\r\n151 x\r\n"))).toEqual({
      reply: { code: "250", text: "ok" },
      usedBytes: 6,
    });
  });

  it("the parser of numeric replies fails for a line that is longer than the limit, and for a line without a code", () => {
    const parse = (line: string) => () =>
      protocol.createParser(mergeLimits({ maxReplyLineBytes: 10 })).push(Buffer.from(line));
    expect(parse(`250 ${"a".repeat(20)}\r\n`)).toThrow(
      expect.objectContaining({ limit: "maxReplyLineBytes" }),
    );
    expect(parse("<html>\r\n")).toThrow("the server does not speak DICT");
  });

  it.each([
    ["420 busy", "unavailable"],
    ["552 no match", "rejected"],
    ["250 ok", "rejected"],
  ])("the unexpected reply %s has the error code %s", (line, code) => {
    expect(protocol.createReplyError(parseSingleLineNumericReply(line, "DICT"), command)).toMatchObject({
      code,
      reason: `the server answered DEFINE with: ${line}`,
    });
  });

  it("the author of a scheme may replace the functions of a numeric reply protocol", () => {
    const own = createNumericReplyProtocol({ name: "X", isClosingReply: ({ code }) => code === "400" });
    expect(own.isClosingReply?.({ code: "400", text: "" })).toBe(true);
    expect("isClosingReply" in protocol).toBe(false);
  });
});
