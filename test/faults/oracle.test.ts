import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { createClient, type Scheme, TRACE_CHANNEL, type TraceEvent, anyAddress } from "@anyscheme/core";
import { type Peer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { nntp } from "@anyscheme/scheme-others";
import { assert, asyncProperty, constantFrom, nat, oneof, string } from "fast-check";
import { describe, expect, it } from "vitest";

/** A server that repeats parts of the URL, as real servers do, and accepts every password. */
interface Row {
  readonly scheme: Scheme;
  readonly script: (peer: Peer) => Promise<void>;
  readonly url: (port: number, chosen: string) => string;
  /** True when the server redirects. */
  readonly leadsOn?: boolean;
}

/** Returns a server that sends the reply of the first matching prefix. `$` is replaced by the received line. */
const answering =
  (greeting: string, answers: Readonly<Record<string, string>>) =>
  async (peer: Peer): Promise<void> => {
    peer.send(`${greeting}\r\n`);
    for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
      const verb = Object.keys(answers).find((beginning) => line?.startsWith(beginning));
      // The server's text does not depend on the password.
      const said = /^(?:PASS|AUTHINFO PASS)/.test(line) ? "" : line;
      peer.send(`${(verb === undefined ? "550 $" : (answers[verb] ?? "")).replaceAll("$", () => said)}\r\n`);
    }
  };

const repeating =
  (challenge: string, then: string) =>
  async (peer: Peer): Promise<void> => {
    for (;;) {
      const request = await peer.line();
      if (request === undefined) return;
      let authorized = false;
      for (let line = await peer.line(); line; line = await peer.line())
        authorized ||= /^authorization:/i.test(line);
      const target = request.split(" ")[1] ?? "";
      const status = authorized
        ? then.replaceAll("$", () => target)
        : `401 Who\r\nwww-authenticate: ${challenge}`;
      peer.send(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
    }
  };

const BASIC = 'Basic realm="r"';
const DIGEST = 'Digest realm="r", nonce="abc", qop="auth"';
const httpUrl = (port: number, chosen: string): string => `http://127.0.0.1:${port}/${chosen}?a=${chosen}`;
const ftpUrl = (port: number, chosen: string): string => `ftp://me@127.0.0.1:${port}/${chosen}/${chosen}`;
/** Returns a valid group name that resembles this name. */
const groupOf = (chosen: string): string =>
  chosen.replace(/[^A-Za-z0-9.+_-]/g, "-").replace(/^(?![A-Za-z])/, "x");
const LOGGED_IN = { USER: "331 the password of $", PASS: "230 welcome" };

const ROWS: Readonly<Record<string, Row>> = {
  "http, Basic: a refusal": { scheme: http(), script: repeating(BASIC, "404 Not $ Found"), url: httpUrl },
  "http, Digest: a refusal": { scheme: http(), script: repeating(DIGEST, "403 not $"), url: httpUrl },
  "http, Basic: refused again": { scheme: http(), script: repeating(BASIC, `401 not $\r\nwww-authenticate: ${BASIC}`), url: httpUrl },
  "http, Basic: a redirect": { scheme: http(), script: repeating(BASIC, "302 to $\r\nlocation: ftp://127.0.0.1/$"), url: httpUrl },
  "http, Basic: a redirect to no URL": { scheme: http(), script: repeating(BASIC, "302 to $\r\nlocation: http://$ $/"), url: httpUrl },
  "http, Basic: a redirect that goes round": { scheme: http(), script: repeating(BASIC, "302 to $\r\nlocation: $&b"), url: httpUrl, leadsOn: true },
  "http, Basic: a content coding": { scheme: http(), script: repeating(BASIC, "200 OK\r\ncontent-encoding: $"), url: httpUrl },
  "ftp: a password that is refused": { scheme: ftp({ idleTimeoutMs: 0 }), script: answering("220 hello", { USER: "331 $", PASS: "530 no" }), url: ftpUrl },
  "ftp: a directory that is not there": { scheme: ftp({ idleTimeoutMs: 0 }), script: answering("220 hello", LOGGED_IN), url: ftpUrl },
  "ftp: a file that is not there": { scheme: ftp({ idleTimeoutMs: 0 }), script: answering("220 hello", { ...LOGGED_IN, CWD: "250 $", TYPE: "200 $" }), url: ftpUrl },
  "nntp: a group that is not there": {
    scheme: nntp(),
    script: async (peer) => {
      peer.send("200 hello\r\n");
      let known = false;
      for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
        const answer: string = line.startsWith("AUTHINFO USER") ? "381 more" : line.startsWith("AUTHINFO PASS") ? "281 welcome" : known ? `411 no ${line}` : "480 who?";
        known ||= answer.startsWith("281");
        peer.send(`${answer}\r\n`);
      }
    },
    url: (port, chosen) => `nntp://127.0.0.1:${port}/${groupOf(chosen)}/1`,
  },
}; // prettier-ignore

/** Returns all texts of a request: trace events, and every form of the error. */
async function told(row: Row, url: string, port: number, password: string): Promise<string[]> {
  const texts: string[] = [];
  const listen = (event: unknown): void => {
    const { atMs: _, ...rest } = event as TraceEvent;
    texts.push(inspect(rest, { depth: Infinity }), JSON.stringify(rest));
  };
  subscribe(TRACE_CHANNEL, listen);
  const client = createClient({
    schemes: [row.scheme],
    policy: anyAddress({ allowPorts: { [row.scheme.name]: [port] } }),
    credentials: () => ({ user: "me", password }),
  });
  try {
    texts.push(JSON.stringify(client.plan(url)));
    texts.push(inspect(await client.dereference(url)));
  } catch (error) {
    texts.push(inspect(error, { depth: Infinity, showHidden: true }), String(error), JSON.stringify(error));
  } finally {
    unsubscribe(TRACE_CHANNEL, listen);
    await client.destroy();
  }
  return texts;
}

/** Common passwords, words from messages of the client and of servers, and components of every URL. */
const passwords = oneof(
  constantFrom(
    "no",
    "not",
    "the",
    "password",
    "hunter2",
    "swordfish",
    "127.0.0.1",
    "http",
    "550",
    "a",
    "welcome home",
    "?",
    "d",
  ),
  string({ minLength: 1, maxLength: 12 }).filter((text) => !/[\0-\x1f\x7f]/.test(text)),
);
/** Returns an attacker's guesses at a password: alone, in a list, escaped, in hexadecimal digits and in base64. */
const guesses = (password: string): string[] => [
  encodeURIComponent(password),
  `sesame,${encodeURIComponent(password)},swordfish`,
  Buffer.from(password).toString("hex"),
  encodeURIComponent(Buffer.from(`me:${password}`).toString("base64")),
];

describe.each(Object.entries(ROWS))("guesses in a URL reveal nothing about the password: %s", (_, row) => {
  it("the trace and the error of a request are the same for two passwords", async () => {
    await using server = await startScriptedServer(row.script);
    await assert(
      asyncProperty(passwords, passwords, nat(3), async (right, wrong, index) => {
        const url = row.url(server.port, guesses(right)[index] ?? "");
        const texts: string[][] = [];
        // Both requests start on one line, because their stacks are compared too.
        for (const password of [right, wrong]) texts.push(await told(row, url, server.port, password));
        expect(texts[0]?.length).toBeGreaterThan(3);
        expect(texts[0]).toEqual(texts[1]);
      }),
      { seed: 1738, numRuns: 25 },
    );
  });

  it("the error message has the URL as the caller wrote it", async () => {
    await using server = await startScriptedServer(row.script);
    const url = row.url(server.port, "sesame,hunter2,swordfish");
    const texts = await told(row, url, server.port, "hunter2");
    // A URL in a redirect is text of the server.
    const shown = row.leadsOn ? url.replace(/[^/]*$/, "****") : url;
    expect(texts.at(-2)).toContain(`: dereference ${shown}`);
  });
});
