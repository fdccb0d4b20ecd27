import { describe, expect, it } from "vitest";
import { URL_INJECTION_CASES } from "./url-injection-cases.ts";
import { createUrlComponentInjectionTest } from "./url-component-injection-test.ts";
import { performObservedRequest } from "./perform-observed-request.ts";
import {
  insertIntoTemplate,
  MAX_BYTES_PER_PLACEHOLDER,
  isByteWithoutSpecialMeaning,
  ALL_BYTE_VALUES,
} from "./placeholder-template.ts";

/** Bytes with a meaning in some protocol. Each byte with such a meaning is tested alone. */
const SPECIAL_BYTES = ALL_BYTE_VALUES.filter((byte) => !isByteWithoutSpecialMeaning(byte));
const PLAIN_BYTES = ALL_BYTE_VALUES.filter(isByteWithoutSpecialMeaning);
/** Characters that are tested without percent-encoding, because parsers of URLs may treat them specially. */
const UNENCODED_CHARACTERS = ALL_BYTE_VALUES.filter(
  (byte) => byte < 0x80 && !isByteWithoutSpecialMeaning(byte),
).concat(0x80, 0xa0, 0xff);

describe.each(Object.entries(URL_INJECTION_CASES))(
  "the bytes sent for the URL component %s",
  (name, component) => {
    const {
      createUrl,
      decodeReceivedCommands,
      isRejected,
      isAllowedByControlCharacterOption = () => false,
    } = component;

    it("the client refuses every percent-encoded byte before the DNS lookup, or sends it unchanged", async () => {
      await using recorder = await component.startRecordingServer();
      const check = await createUrlComponentInjectionTest(component, recorder);
      for (const byte of SPECIAL_BYTES) await check([byte]);
      for (const byte of PLAIN_BYTES.filter(isRejected)) await check([byte]);
      const sendable = PLAIN_BYTES.filter((byte) => !isRejected(byte));
      for (let start = 0; start < sendable.length; start += MAX_BYTES_PER_PLACEHOLDER)
        await check(sendable.slice(start, start + MAX_BYTES_PER_PLACEHOLDER));
      for (const byte of SPECIAL_BYTES.filter(
        (each) => isRejected(each) && !isAllowedByControlCharacterOption(each),
      ))
        await check([byte], true);
      const allowed = ALL_BYTE_VALUES.filter(isAllowedByControlCharacterOption);
      if (allowed.length > 0) await check(allowed, true);
    });

    it("the client refuses every unencoded character, or sends it as the plan announces and without control bytes", async () => {
      await using recorder = await component.startRecordingServer();
      let sent = 0;
      for (const byte of UNENCODED_CHARACTERS) {
        const character = String.fromCharCode(byte);
        const outcome = await performObservedRequest(
          component,
          recorder,
          createUrl(insertIntoTemplate(character), recorder.port),
        );
        const at = `${JSON.stringify(character)}: ${String(outcome.error)}`;
        expect(outcome.receivedBytes, at).toBe(outcome.plannedBytes);
        expect(outcome.dnsLookupCount, at).toBe(outcome.connectionCount);
        sent += outcome.connectionCount;
        // Decoded WAIS arguments contain length-prefixed data, in which control bytes are harmless.
        if (name.startsWith("wais")) continue;
        for (const argument of decodeReceivedCommands(outcome.receivedBytes).flat())
          expect(argument, at).not.toMatch(/[\x00-\x1f\x7f]/);
      }
      expect(sent).toBeGreaterThan(0);
    });
  },
);
