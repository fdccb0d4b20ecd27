import { percentDecode } from "@anyscheme/core/syntax";
import { describe, expect, it } from "vitest";
import { toMessageIdArgument, encodeNntpCommand } from "../../src/nntp/commands.ts";

const matchRefusedCharacters = expect.objectContaining({ code: "refused-characters" }) as Error;
const formatMessageId = (text: string): string => toMessageIdArgument(percentDecode(text));

describe("NNTP commands", () => {
  it.each([
    ["CAPABILITIES", undefined, "CAPABILITIES\r\n"],
    ["GROUP", "comp.lang.c++", "GROUP comp.lang.c++\r\n"],
    ["AUTHINFO PASS", "two words", "AUTHINFO PASS two words\r\n"],
    ["AUTHINFO PASS", "ü", "AUTHINFO PASS \xc3\xbc\r\n"],
  ])("the client encodes the command %s with the argument %s", (verb, argument, bytes) => {
    expect(Buffer.from(encodeNntpCommand(verb, argument)).toString("latin1")).toBe(bytes);
  });

  it.each(["\r", "\n", "\0", "\t", "\x1b", "\x7f", "a\r\nPOST"])(
    "the client refuses the control characters in the argument %j",
    (argument) => {
      expect(() => encodeNntpCommand("AUTHINFO PASS", argument, "password")).toThrow(matchRefusedCharacters);
    },
  );
});

// RFC 3977 §3.6
describe("the client checks message identifiers in NNTP commands", () => {
  it.each([
    ["one@example.org", "<one@example.org>"],
    ["a%2525b/c?d%23e@x.example", "<a%25b/c?d#e@x.example>"],
    ["!;=&@x", "<!;=&@x>"],
    [`${"a".repeat(246)}@x`, `<${"a".repeat(246)}@x>`],
  ])("the client accepts the message identifier %.40s", (text, bracketedText) => {
    expect(formatMessageId(text)).toBe(bracketedText);
  });

  it.each([
    ...["%0D", "%0A", "%00", "%09", "%20", "%3E", "%3C", "%7F", "%1B", "%80", "%C3%A9", "%FF"].map(
      (each) => `a${each}b@x`,
    ),
    "a@x%0D%0APOST",
    "a@x%3E%20%3Cb@y",
    `${"a".repeat(247)}@x`,
  ])("the client refuses the message identifier %.40s", (text) => {
    expect(() => formatMessageId(text)).toThrow(matchRefusedCharacters);
  });

  it("the client accepts only printable bytes other than < and > in a message identifier", () => {
    for (let byte = 0; byte < 256; byte++) {
      const isAccepted = byte > 0x20 && byte < 0x7f && byte !== 0x3c && byte !== 0x3e;
      const formatByte = (): string => toMessageIdArgument(Uint8Array.of(byte));
      if (isAccepted) expect(formatByte()).toBe(`<${String.fromCharCode(byte)}>`);
      else expect(formatByte).toThrow(matchRefusedCharacters);
    }
  });
});
