import { expect } from "vitest";
import { type UrlComponent, percentEscape } from "./url-components.ts";
import { runRequest } from "./request-outcome.ts";
import type { Recorder } from "../servers/recorders.ts";
import { fillTemplate, TEMPLATE, replaceTemplate } from "./texts.ts";

/**
 * Checks percent-encoded bytes in a URL component. They are rejected before the DNS lookup, or sent unchanged and as
 * planned.
 */
export type ByteCheck = (bytes: readonly number[], allowControlCharacters?: boolean) => Promise<void>;

const wireText = (bytes: readonly number[]): string => String.fromCharCode(...bytes);

export async function byteCheck(component: UrlComponent, recorder: Recorder): Promise<ByteCheck> {
  const {
    url,
    commands,
    refuses,
    allows = () => false,
    separators: separates = {},
    onWire = wireText,
  } = component;
  const template = await runRequest(component, recorder, url(TEMPLATE, recorder.port));
  const base = commands(template.receivedBytes);
  return async (bytes, allowControlCharacters = false) => {
    const text = fillTemplate(bytes.map(percentEscape).join(""));
    const outcome = await runRequest(component, recorder, url(text, recorder.port), allowControlCharacters);
    const { isRefused, planConnects, lookupCount, connectionCount, receivedBytes, plannedBytes } = outcome;
    const at = `${text}${allowControlCharacters ? " allowed" : ""}: ${String(outcome.error)}`;
    expect(receivedBytes, at).toBe(plannedBytes);
    expect([lookupCount, connectionCount], at).toEqual(isRefused || !planConnects ? [0, 0] : [1, 1]);
    if (bytes.some((byte) => separates[byte])) return;
    expect(isRefused, at).toBe(
      bytes.some((byte) => refuses(byte) && !(allowControlCharacters && allows(byte))),
    );
    if (connectionCount > 0)
      expect(commands(receivedBytes), at).toEqual(replaceTemplate(base, fillTemplate(onWire(bytes))));
  };
}
