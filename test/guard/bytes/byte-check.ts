import { expect } from "vitest";
import { type Component, escapeOf } from "./url-components.ts";
import { outcomeOf } from "./request-outcome.ts";
import type { Recorder } from "../servers/recorders.ts";
import { around, BASE, replaced } from "./texts.ts";

/** Checks one text of bytes, encoded, in a component: refused before the look-up, or on the wire as it is and as it was planned. */
export type ByteCheck = (bytes: readonly number[], allowControlCharacters?: boolean) => Promise<void>;

const wireText = (bytes: readonly number[]): string => String.fromCharCode(...bytes);

export async function byteCheck(component: Component, recorder: Recorder): Promise<ByteCheck> {
  const { url, commands, refuses, allows = () => false, separates = {}, onWire = wireText } = component;
  const basis = await outcomeOf(component, recorder, url(BASE, recorder.port));
  const base = commands(basis.received);
  return async (bytes, allowControlCharacters = false) => {
    const text = around(bytes.map(escapeOf).join(""));
    const outcome = await outcomeOf(component, recorder, url(text, recorder.port), allowControlCharacters);
    const { refused, connects, asked, connected, received, planned } = outcome;
    const at = `${text}${allowControlCharacters ? " allowed" : ""}: ${String(outcome.error)}`;
    expect(received, at).toBe(planned);
    expect([asked, connected], at).toEqual(refused || !connects ? [0, 0] : [1, 1]);
    if (bytes.some((byte) => separates[byte])) return;
    expect(refused, at).toBe(
      bytes.some((byte) => refuses(byte) && !(allowControlCharacters && allows(byte))),
    );
    if (connected > 0) expect(commands(received), at).toEqual(replaced(base, around(onWire(bytes))));
  };
}
