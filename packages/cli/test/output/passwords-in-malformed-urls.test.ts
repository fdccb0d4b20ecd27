import { inspect } from "node:util";
import { createClient } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_SCHEME_NAMES } from "../../src/client/scheme-packages.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const NEEDLE = "n33dle";

/**
 * Port 1 of the loopback interface. If one of the malformed URLs is valid by accident, the command connects only to
 * this machine.
 */
const HOST = "127.0.0.1:1";

/** Malformed URLs with a login in different places. `LOGIN` stands for `user:password@` or `user:password%40`. */
const MALFORMED_URLS: readonly string[] = [
  `LOGIN${HOST}`,
  `LOGIN${HOST}/a`,
  "LOGIN",
  `/LOGIN${HOST}`,
  `//LOGIN${HOST}/`,
  `///LOGIN${HOST}/`,
  `http//LOGIN${HOST}`,
  `ftp//LOGIN${HOST}/a`,
  `x-any//LOGIN${HOST}/a`,
  `http:LOGIN${HOST}/`,
  `gopher:/LOGIN${HOST}/`,
  `http:///LOGIN${HOST}`,
  `http:\\\\LOGIN${HOST}\\`,
  `ftp://LOGINh .example/`,
  ` ftp://LOGINh .example/`,
  `<URL:ftp://LOGINh .example/`,
  `ftp://LOGIN[::1`,
  `ftp://LOGIN127.0.0.1:99999/`,
  `telnet://LOGINh .example/`,
  `x-any:LOGIN${HOST}`,
  `x-any://LOGIN${HOST}/`,
];

/**
 * A user name that is neither a scheme of the command nor a scheme such as `sip`, whose URLs contain public addresses.
 */
const USER = fc
  .stringMatching(/^[a-z][a-z0-9_-]{0,6}$/)
  .filter((user) => !/^(?:acct|cid|mid|sips?|xmpp)$/.test(user) && !BUILT_IN_SCHEME_NAMES.includes(user));

/**
 * A password that begins with a letter, because digits after a ":" may be a port. The password has no "@", because the
 * text after the first "@" of a login can be a valid host.
 */
const PASSWORD = fc
  .tuple(
    fc.constantFrom("", "a"),
    fc.stringMatching(/^[b1:/?#;&=%!+ \\é]{0,4}$/),
    fc.stringMatching(/^[b1:/?#;&=%!+ \\é]{0,4}$/),
  )
  .map(([first, before, after]) => `${first}${first && before}${NEEDLE}${after}`);

const MALFORMED_URL = fc
  .tuple(fc.constantFrom(...MALFORMED_URLS), USER, PASSWORD, fc.constantFrom("@", "%40"))
  .map(([template, user, password, at]) => template.replace("LOGIN", () => `${user}:${password}${at}`));

const COMMANDS: readonly (readonly string[])[] = [
  ["get"],
  ["get", "--json"],
  ["get", "-v"],
  ["ls"],
  ["form"],
  ["open"],
  ["parse"],
  ["parse", "--json"],
  ["plan"],
  ["lint"],
  ["extract"],
];

const client = createClient({ schemes: [http(), ftp(), gopher()], retry: false });

async function collectLibraryTexts(text: string): Promise<string> {
  const { url, fault } = client.tryParse(text);
  const texts: unknown[] = fault
    ? [fault, fault.message, JSON.stringify(fault)]
    : [url, String(url), JSON.stringify(url), url.components()];
  const collectError = (error: unknown): void => {
    texts.push(error, String(error), (error as Error).stack, JSON.stringify(error));
  };
  try {
    texts.push(client.plan(text));
  } catch (error) {
    collectError(error);
  }
  await client.text(text).catch(collectError);
  return texts.map((each) => inspect(each, { depth: 9, getters: true })).join("\n");
}

describe("no text shows the password of a malformed URL", () => {
  it("no output of the command contains the password", async () => {
    await fc.assert(
      fc.asyncProperty(MALFORMED_URL, fc.constantFrom(...COMMANDS), async (text, command) => {
        const { stdout, stderr } = await runCommandInProcess([...command, text]);
        expect(stdout + stderr).not.toContain(NEEDLE);
      }),
      { numRuns: 500 },
    );
  });

  it("no text of the library contains the password", async () => {
    await fc.assert(
      fc.asyncProperty(MALFORMED_URL, async (text) => {
        expect(await collectLibraryTexts(text)).not.toContain(NEEDLE);
      }),
      { numRuns: 500 },
    );
  });
});
