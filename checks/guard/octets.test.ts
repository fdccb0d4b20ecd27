import { AccessError, createClient, trusted, UrlSyntaxError } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { type Component, COMPONENTS, escapeOf } from "./components.ts";
import type { Recorder } from "./recorders.ts";
import type { Command } from "./wire-commands.ts";

/** Stands for what is put in, at the beginning, in the middle and at the end of the component. */
const BASE = "QaQzQ";
const around = (text: string): string => BASE.replaceAll("Q", text);

const OCTETS = Array.from({ length: 256 }, (_, octet) => octet);
const isPlain = (octet: number): boolean => /[A-Za-z0-9\x80-\xfe]/.test(String.fromCharCode(octet));
/** One by one what means something somewhere; letters, digits and the octets beyond US-ASCII several in one text. */
const ALONE = OCTETS.filter((octet) => !isPlain(octet));
const TOGETHER = OCTETS.filter(isPlain);
/** As many as every protocol takes in one name, three times over. */
const IN_ONE_TEXT = 64;
/** Characters of which a raw one in a URL may mean something. */
const RAW = OCTETS.filter((octet) => octet < 0x80 && !isPlain(octet)).concat(0x80, 0xa0, 0xff);

const wireText = (octets: readonly number[]): string => String.fromCharCode(...octets);

interface Outcome {
  readonly refused: boolean;
  readonly error: unknown;
  /** Whether the plan has a connection in it. */
  readonly connects: boolean;
  /** How often the name of the server was looked up. */
  readonly asked: number;
  readonly connected: number;
  readonly received: string;
  /** The octets of the steps that were performed. */
  readonly planned: string;
}

/** One access, from the URL to what the server has received when everything is closed. */
async function outcomeOf(
  component: Component,
  recorder: Recorder,
  url: string,
  allowControl = false,
): Promise<Outcome> {
  const asked: string[] = [];
  const planned: Uint8Array[] = [];
  const before = recorder.clients;
  const scheme = component.scheme(recorder.port);
  const client = createClient({
    schemes: [scheme],
    policy: trusted({ allowPorts: { [scheme.name]: [recorder.port] } }),
    resolver(name) {
      asked.push(name);
      return Promise.resolve(name === "h.example" ? ["127.0.0.1"] : []);
    },
    transcript({ action, step }) {
      if (action === "send" && step?.octets) planned.push(step.octets);
    },
  });
  const options = { ...component.options, allowControl };
  const perform = component.perform ?? ((of, text, given) => of.dereference(text, given));
  let error: unknown;
  let connects = false;
  try {
    await perform(client, url, options);
  } catch (reason) {
    error = reason;
  }
  try {
    connects = client.plan(url, options).steps.some(({ action }) => action === "connect");
  } catch (reason) {
    error ??= reason;
  }
  await client.close();
  const refused =
    error instanceof UrlSyntaxError || (error instanceof AccessError && error.code === "refused-octets");
  return {
    refused,
    error,
    connects,
    asked: asked.filter((name) => name === "h.example").length,
    connected: recorder.clients - before,
    received: await recorder.receivedFrom(before),
    planned: Buffer.concat(planned).toString("latin1"),
  };
}

/** The commands of the base with this text where the base has its own. */
function replaced(base: readonly Command[], text: string): Command[] {
  return base.map((command) => command.map((part) => part.replaceAll(BASE, around(text))));
}

describe.each(Object.entries(COMPONENTS))("%s", (name, component) => {
  const { url, commands, refuses, allows = () => false, separates = {}, onWire = wireText } = component;

  it("every octet, encoded: refused before the look-up, or on the wire as itself", async () => {
    await using recorder = await component.recorder();
    const basis = await outcomeOf(component, recorder, url(BASE, recorder.port));
    const base = commands(basis.received);
    const check = async (octets: readonly number[], allowControl: boolean): Promise<void> => {
      const text = octets.map(escapeOf).join("");
      const outcome = await outcomeOf(component, recorder, url(around(text), recorder.port), allowControl);
      const { refused, connects, asked, connected, received, planned } = outcome;
      const at = `${text}${allowControl ? " allowed" : ""}: ${String(outcome.error)}`;
      expect(received, at).toBe(planned);
      expect([asked, connected], at).toEqual(refused || !connects ? [0, 0] : [1, 1]);
      if (octets.some((octet) => separates[octet])) return;
      expect(refused, at).toBe(octets.some((octet) => refuses(octet) && !(allowControl && allows(octet))));
      if (connected > 0) expect(commands(received), at).toEqual(replaced(base, onWire(octets)));
    };
    for (const octet of ALONE) await check([octet], false);
    for (const octet of TOGETHER.filter(refuses)) await check([octet], false);
    const sendable = TOGETHER.filter((octet) => !refuses(octet));
    for (let from = 0; from < sendable.length; from += IN_ONE_TEXT)
      await check(sendable.slice(from, from + IN_ONE_TEXT), false);
    for (const octet of ALONE.filter((each) => refuses(each) && !allows(each))) await check([octet], true);
    const allowed = OCTETS.filter(allows);
    if (allowed.length > 0) await check(allowed, true);
  });

  it("every character, raw: refused, or what was planned is on the wire, without a control octet", async () => {
    await using recorder = await component.recorder();
    let sent = 0;
    for (const octet of RAW) {
      const character = String.fromCharCode(octet);
      const outcome = await outcomeOf(component, recorder, url(around(character), recorder.port));
      const at = `${JSON.stringify(character)}: ${String(outcome.error)}`;
      expect(outcome.received, at).toBe(outcome.planned);
      expect(outcome.asked, at).toBe(outcome.connected);
      sent += outcome.connected;
      // The arguments of WAIS are counted, and a tag is a control octet.
      if (name.startsWith("wais")) continue;
      for (const argument of commands(outcome.received).flat())
        expect(argument, at).not.toMatch(/[\x00-\x1f\x7f]/);
    }
    expect(sent).toBeGreaterThan(0);
  });
});
