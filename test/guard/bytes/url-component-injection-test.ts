import { expect } from "vitest";
import { type UrlComponentInjectionCase, percentEncode } from "./url-injection-cases.ts";
import { performObservedRequest } from "./perform-observed-request.ts";
import type { RecordingServer } from "../servers/recording-servers.ts";
import {
  insertIntoTemplate,
  TEMPLATE_WITH_PLACEHOLDERS,
  replaceTemplateInDecodedCommands,
} from "./placeholder-template.ts";

/**
 * Checks that percent-encoded bytes in a URL component are rejected before the DNS lookup, or sent unchanged and as the
 * plan announces.
 */
export type UrlComponentInjectionTest = (
  bytes: readonly number[],
  allowControlCharacters?: boolean,
) => Promise<void>;

const bytesToLatin1 = (bytes: readonly number[]): string => String.fromCharCode(...bytes);

export async function createUrlComponentInjectionTest(
  component: UrlComponentInjectionCase,
  recorder: RecordingServer,
): Promise<UrlComponentInjectionTest> {
  const {
    createUrl,
    decodeReceivedCommands,
    isRejected,
    isAllowedByControlCharacterOption = () => false,
    separatorBytes = {},
    encodeBytesAsSent: encode = bytesToLatin1,
  } = component;
  const template = await performObservedRequest(
    component,
    recorder,
    createUrl(TEMPLATE_WITH_PLACEHOLDERS, recorder.port),
  );
  const templateCommands = decodeReceivedCommands(template.receivedBytes);
  return async (bytes, allowControlCharacters = false) => {
    const text = insertIntoTemplate(bytes.map(percentEncode).join(""));
    const outcome = await performObservedRequest(
      component,
      recorder,
      createUrl(text, recorder.port),
      allowControlCharacters,
    );
    const {
      isRefused,
      planHasConnectStep: planConnects,
      dnsLookupCount: lookupCount,
      connectionCount,
      receivedBytes,
      plannedBytes,
    } = outcome;
    const description = `${text}${allowControlCharacters ? " allowed" : ""}: ${String(outcome.error)}`;
    expect(receivedBytes, description).toBe(plannedBytes);
    expect([lookupCount, connectionCount], description).toEqual(isRefused || !planConnects ? [0, 0] : [1, 1]);
    if (bytes.some((byte) => separatorBytes[byte])) return;
    expect(isRefused, description).toBe(
      bytes.some(
        (byte) => isRejected(byte) && !(allowControlCharacters && isAllowedByControlCharacterOption(byte)),
      ),
    );
    if (connectionCount > 0)
      expect(decodeReceivedCommands(receivedBytes), description).toEqual(
        replaceTemplateInDecodedCommands(templateCommands, insertIntoTemplate(encode(bytes))),
      );
  };
}
