import { describe, expect, it } from "vitest";
import { COMPONENTS } from "./url-components.ts";
import { byteCheck } from "./byte-check.ts";
import { outcomeOf } from "./request-outcome.ts";
import { around, IN_ONE_TEXT, isPlain, BYTES } from "./texts.ts";

/** One by one what means something somewhere; the others several in one text. */
const ALONE = BYTES.filter((byte) => !isPlain(byte));
const TOGETHER = BYTES.filter(isPlain);
/** Characters of which a raw one in a URL may mean something. */
const RAW = BYTES.filter((byte) => byte < 0x80 && !isPlain(byte)).concat(0x80, 0xa0, 0xff);

describe.each(Object.entries(COMPONENTS))("%s", (name, component) => {
  const { url, commands, refuses, allows = () => false } = component;

  it("every byte, encoded: refused before the look-up, or on the wire as itself", async () => {
    await using recorder = await component.recorder();
    const check = await byteCheck(component, recorder);
    for (const byte of ALONE) await check([byte]);
    for (const byte of TOGETHER.filter(refuses)) await check([byte]);
    const sendable = TOGETHER.filter((byte) => !refuses(byte));
    for (let from = 0; from < sendable.length; from += IN_ONE_TEXT)
      await check(sendable.slice(from, from + IN_ONE_TEXT));
    for (const byte of ALONE.filter((each) => refuses(each) && !allows(each))) await check([byte], true);
    const allowed = BYTES.filter(allows);
    if (allowed.length > 0) await check(allowed, true);
  });

  it("every character, raw: refused, or what was planned is on the wire, without a control byte", async () => {
    await using recorder = await component.recorder();
    let sent = 0;
    for (const byte of RAW) {
      const character = String.fromCharCode(byte);
      const outcome = await outcomeOf(component, recorder, url(around(character), recorder.port));
      const at = `${JSON.stringify(character)}: ${String(outcome.error)}`;
      expect(outcome.received, at).toBe(outcome.planned);
      expect(outcome.asked, at).toBe(outcome.connected);
      sent += outcome.connected;
      // The arguments of WAIS are counted, and a tag is a control byte.
      if (name.startsWith("wais")) continue;
      for (const argument of commands(outcome.received).flat())
        expect(argument, at).not.toMatch(/[\x00-\x1f\x7f]/);
    }
    expect(sent).toBeGreaterThan(0);
  });
});
