import { describe, expect, it } from "vitest";
import { COMPONENTS } from "./url-components.ts";
import { byteCheck } from "./byte-check.ts";
import { runRequest } from "./request-outcome.ts";
import { fillTemplate, BYTES_PER_TEXT, isPlain, BYTES } from "./texts.ts";

/** Bytes with a meaning in some protocol, which are tested one by one. The others are tested together. */
const SPECIAL = BYTES.filter((byte) => !isPlain(byte));
const PLAIN = BYTES.filter(isPlain);
/** Characters that may have a meaning in a URL without encoding. */
const RAW = BYTES.filter((byte) => byte < 0x80 && !isPlain(byte)).concat(0x80, 0xa0, 0xff);

describe.each(Object.entries(COMPONENTS))("the bytes sent for the URL component %s", (name, component) => {
  const { url, commands, refuses, allows = () => false } = component;

  it("every percent-encoded byte of a URL is refused before the DNS lookup or sent unchanged", async () => {
    await using recorder = await component.recorder();
    const check = await byteCheck(component, recorder);
    for (const byte of SPECIAL) await check([byte]);
    for (const byte of PLAIN.filter(refuses)) await check([byte]);
    const sendable = PLAIN.filter((byte) => !refuses(byte));
    for (let start = 0; start < sendable.length; start += BYTES_PER_TEXT)
      await check(sendable.slice(start, start + BYTES_PER_TEXT));
    for (const byte of SPECIAL.filter((each) => refuses(each) && !allows(each))) await check([byte], true);
    const allowed = BYTES.filter(allows);
    if (allowed.length > 0) await check(allowed, true);
  });

  it("every unencoded character of a URL is refused, or sent as planned and without control bytes", async () => {
    await using recorder = await component.recorder();
    let sent = 0;
    for (const byte of RAW) {
      const character = String.fromCharCode(byte);
      const outcome = await runRequest(component, recorder, url(fillTemplate(character), recorder.port));
      const at = `${JSON.stringify(character)}: ${String(outcome.error)}`;
      expect(outcome.receivedBytes, at).toBe(outcome.plannedBytes);
      expect(outcome.lookupCount, at).toBe(outcome.connectionCount);
      sent += outcome.connectionCount;
      // WAIS arguments have a length, and their tags are control bytes.
      if (name.startsWith("wais")) continue;
      for (const argument of commands(outcome.receivedBytes).flat())
        expect(argument, at).not.toMatch(/[\x00-\x1f\x7f]/);
    }
    expect(sent).toBeGreaterThan(0);
  });
});
