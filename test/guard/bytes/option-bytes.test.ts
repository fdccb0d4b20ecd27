import { describe, expect, it } from "vitest";
import type { UrlComponent } from "./url-components.ts";
import { templateOnWire, OPTION_TEXTS, type OptionText } from "./option-texts.ts";
import { type RequestOutcome, runRequest } from "./request-outcome.ts";
import type { Recorder } from "../servers/recorders.ts";
import { fillTemplate, TEMPLATE, BYTES_PER_TEXT, BYTES } from "./texts.ts";
import type { Command } from "./wire-commands.ts";

/** Matches characters with a meaning to an encoder or a server. Each is tested in its own text. */
const MEANING = /["'\\:;,=%<>\t \xff]/;

const textOf = (codes: readonly number[]): string => String.fromCharCode(...codes);

async function accessWith(
  row: OptionText,
  recorder: Recorder,
  text: string,
  allowControlCharacters: boolean,
): Promise<RequestOutcome> {
  const component: UrlComponent = {
    ...row.componentWith(text),
    url: (_, port) => row.url(port),
    commands: row.commands,
    refuses: row.refuses,
  };
  return runRequest(component, recorder, row.url(recorder.port), allowControlCharacters);
}

/** Returns the commands before the first one with the text. */
function commandsBefore(base: readonly Command[], mark: string): readonly Command[] {
  const at = base.findIndex((command) => command.some((part) => part.includes(mark)));
  return base.slice(0, at);
}

describe.each(Object.entries(OPTION_TEXTS))("the bytes sent for the option %s", (_, row) => {
  const { refuses, allows = () => false, onWire, commands, isRefusedAfterConnect: late = false } = row;

  it("every character of an option up to U+00FF is refused or sent as encoded", async () => {
    await using recorder = await row.componentWith(TEMPLATE).recorder();
    const base = commands((await accessWith(row, recorder, TEMPLATE, false)).receivedBytes);
    const mark = templateOnWire(row);
    expect(base.flat().join("\n")).toContain(mark);

    const check = async (codes: readonly number[], allowControlCharacters: boolean): Promise<void> => {
      const text = fillTemplate(textOf(codes));
      const outcome = await accessWith(row, recorder, text, allowControlCharacters);
      const at = `${JSON.stringify(text)}${allowControlCharacters ? " allowed" : ""}: ${String(outcome.error)}`;
      const refused = codes.some((code) => refuses(code) && !(allowControlCharacters && allows(code)));
      expect(outcome.isRefused, at).toBe(refused);
      const received = commands(outcome.receivedBytes);
      if (!refused) {
        const expected = base.map((command) => command.map((part) => part.replaceAll(mark, onWire(text))));
        return expect(received, at).toEqual(expected);
      }
      if (late)
        expect(
          received.filter(([verb]) => verb !== "QUIT"),
          at,
        ).toEqual(commandsBefore(base, mark));
      else
        expect([outcome.lookupCount, outcome.connectionCount, outcome.receivedBytes], at).toEqual([0, 0, ""]);
    };

    for (const code of BYTES.filter(refuses)) await check([code], false);
    const sendable = BYTES.filter((code) => !refuses(code));
    for (const code of sendable.filter((each) => MEANING.test(textOf([each])))) await check([code], false);
    for (let from = 0; from < sendable.length; from += BYTES_PER_TEXT)
      await check(sendable.slice(from, from + BYTES_PER_TEXT), false);
    for (const code of BYTES.filter((each) => refuses(each) && !allows(each))) await check([code], true);
    const allowed = BYTES.filter(allows);
    if (allowed.length > 0) await check(allowed, true);
  });

  it("a character of an option above U+00FF never becomes a line end by truncation", async () => {
    await using recorder = await row.componentWith(TEMPLATE).recorder();
    for (const code of [0x010a, 0x010d, 0x0100, 0x560d, 0x2028, 0xd83d]) {
      const { receivedBytes: received } = await accessWith(
        row,
        recorder,
        fillTemplate(String.fromCharCode(code)),
        true,
      );
      for (const argument of commands(received).flat()) expect(argument).not.toMatch(/[\0\r\n]/);
    }
  });
});
