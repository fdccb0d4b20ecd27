import { describe, expect, it } from "vitest";
import type { Component } from "./url-components.ts";
import { baseOf, GIVEN_TEXTS, type GivenText } from "./option-texts.ts";
import { type Outcome, outcomeOf } from "./request-outcome.ts";
import type { Recorder } from "../servers/recorders.ts";
import { around, BASE, IN_ONE_TEXT, BYTES } from "./texts.ts";
import type { Command } from "./wire-commands.ts";

/** Of the characters that may be sent, those that mean something to some encoder or server: each in a text of its own. */
const MEANING = /["'\\:;,=%<>\t \xff]/;

const textOf = (codes: readonly number[]): string => String.fromCharCode(...codes);

async function accessWith(
  row: GivenText,
  recorder: Recorder,
  text: string,
  allowControlCharacters: boolean,
): Promise<Outcome> {
  const component: Component = {
    ...row.access(text),
    url: (_, port) => row.url(port),
    commands: row.commands,
    refuses: row.refuses,
  };
  return outcomeOf(component, recorder, row.url(recorder.port), allowControlCharacters);
}

/** The commands that come before the first one with the text. */
function before(base: readonly Command[], mark: string): readonly Command[] {
  const at = base.findIndex((command) => command.some((part) => part.includes(mark)));
  return base.slice(0, at);
}

describe.each(Object.entries(GIVEN_TEXTS))("%s", (_, row) => {
  const { refuses, allows = () => false, onWire, commands, late = false } = row;

  it("every character up to U+00FF: refused, or on the wire as it is encoded", async () => {
    await using recorder = await row.access(BASE).recorder();
    const base = commands((await accessWith(row, recorder, BASE, false)).received);
    const mark = baseOf(row);
    expect(base.flat().join("\n")).toContain(mark);

    const check = async (codes: readonly number[], allowControlCharacters: boolean): Promise<void> => {
      const text = around(textOf(codes));
      const outcome = await accessWith(row, recorder, text, allowControlCharacters);
      const at = `${JSON.stringify(text)}${allowControlCharacters ? " allowed" : ""}: ${String(outcome.error)}`;
      const refused = codes.some((code) => refuses(code) && !(allowControlCharacters && allows(code)));
      expect(outcome.refused, at).toBe(refused);
      const received = commands(outcome.received);
      if (!refused) {
        const expected = base.map((command) => command.map((part) => part.replaceAll(mark, onWire(text))));
        return expect(received, at).toEqual(expected);
      }
      if (late)
        expect(
          received.filter(([verb]) => verb !== "QUIT"),
          at,
        ).toEqual(before(base, mark));
      else expect([outcome.asked, outcome.connected, outcome.received], at).toEqual([0, 0, ""]);
    };

    for (const code of BYTES.filter(refuses)) await check([code], false);
    const sendable = BYTES.filter((code) => !refuses(code));
    for (const code of sendable.filter((each) => MEANING.test(textOf([each])))) await check([code], false);
    for (let from = 0; from < sendable.length; from += IN_ONE_TEXT)
      await check(sendable.slice(from, from + IN_ONE_TEXT), false);
    for (const code of BYTES.filter((each) => refuses(each) && !allows(each))) await check([code], true);
    const allowed = BYTES.filter(allows);
    if (allowed.length > 0) await check(allowed, true);
  });

  it("a character beyond U+00FF never becomes a line end by losing its upper half", async () => {
    await using recorder = await row.access(BASE).recorder();
    for (const code of [0x010a, 0x010d, 0x0100, 0x560d, 0x2028, 0xd83d]) {
      const { received } = await accessWith(row, recorder, around(String.fromCharCode(code)), true);
      for (const argument of commands(received).flat()) expect(argument).not.toMatch(/[\0\r\n]/);
    }
  });
});
