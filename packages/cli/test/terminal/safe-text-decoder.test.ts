import { describe, expect, it } from "vitest";
import { SafeTextDecoder } from "../../src/terminal/safe-text-decoder.ts";

describe("SafeTextDecoder", () => {
  it("SafeTextDecoder returns the same text for any division into chunks", () => {
    const bytes = Buffer.from("a\r\nb\rc\u001bé\u0085\tx\n\u202e\r");
    const whole = "a\r\nb\\x0dc\\x1bé\\x85\tx\n\\u{202e}\\x0d";
    for (let at = 0; at <= bytes.length; at++) {
      const text = new SafeTextDecoder();
      expect(text.push(bytes.subarray(0, at)) + text.push(bytes.subarray(at)) + text.end()).toBe(whole);
    }
  });
});
