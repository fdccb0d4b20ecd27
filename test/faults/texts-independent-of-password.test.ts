import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { createClient, type Scheme, TRACE_CHANNEL, type TraceEvent, anyAddress } from "@anyscheme/core";
import { type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { nntp } from "@anyscheme/scheme-others";
import { assert, asyncProperty, constantFrom, nat, oneof, string } from "fast-check";
import { describe, expect, it } from "vitest";

/** A server that repeats parts of the URL in its replies, as real servers do. */
interface PasswordOracleCase {
  readonly scheme: Scheme;
  readonly script: (peer: ScriptedPeer) => Promise<void>;
  readonly url: (port: number, chosen: string) => string;
  /** True when the server redirects to a URL that the client requests. */
  readonly isRedirecting?: boolean;
}

/**
 * Returns a server script that sends the reply with the first matching prefix. Replaces `$` in the server's reply by
 * the line that the client sent.
 */
const createReplyScript =
  (greeting: string, replies: Readonly<Record<string, string>>) =>
  async (peer: ScriptedPeer): Promise<void> => {
    peer.send(`${greeting}\r\n`);
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
      const prefix = Object.keys(replies).find((beginning) => line?.startsWith(beginning));
      // The server does not repeat the password.
      const echoedLine = /^(?:PASS|AUTHINFO PASS)/.test(line) ? "" : line;
      peer.send(
        `${(prefix === undefined ? "550 $" : (replies[prefix] ?? "")).replaceAll("$", () => echoedLine)}\r\n`,
      );
    }
  };

const createRepeatingHttpScript =
  (challenge: string, then: string) =>
  async (peer: ScriptedPeer): Promise<void> => {
    for (;;) {
      const request = await peer.readLine();
      if (request === undefined) return;
      let authorized = false;
      for (let line = await peer.readLine(); line; line = await peer.readLine())
        authorized ||= /^authorization:/i.test(line);
      const target = request.split(" ")[1] ?? "";
      const status = authorized
        ? then.replaceAll("$", () => target)
        : `401 Who\r\nwww-authenticate: ${challenge}`;
      peer.send(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
    }
  };

const BASIC_CHALLENGE = 'Basic realm="r"';
const DIGEST_CHALLENGE = 'Digest realm="r", nonce="abc", qop="auth"';
const httpUrl = (port: number, chosen: string): string => `http://127.0.0.1:${port}/${chosen}?a=${chosen}`;
const ftpUrl = (port: number, chosen: string): string => `ftp://me@127.0.0.1:${port}/${chosen}/${chosen}`;
/** Returns a valid newsgroup name that is similar to the text. */
const createGroupName = (chosen: string): string =>
  chosen.replace(/[^A-Za-z0-9.+_-]/g, "-").replace(/^(?![A-Za-z])/, "x");
const FTP_LOGIN_REPLIES = { USER: "331 the password of $", PASS: "230 welcome" };

const PASSWORD_ORACLE_CASES: Readonly<Record<string, PasswordOracleCase>> = {
  "http with Basic and a 404 response": { scheme: http(), script: createRepeatingHttpScript(BASIC_CHALLENGE, "404 Not $ Found"), url: httpUrl },
  "http with Digest and a 403 response": { scheme: http(), script: createRepeatingHttpScript(DIGEST_CHALLENGE, "403 not $"), url: httpUrl },
  "http with Basic and a second 401 response": { scheme: http(), script: createRepeatingHttpScript(BASIC_CHALLENGE, `401 not $\r\nwww-authenticate: ${BASIC_CHALLENGE}`), url: httpUrl },
  "http with Basic and a redirect to ftp": { scheme: http(), script: createRepeatingHttpScript(BASIC_CHALLENGE, "302 to $\r\nlocation: ftp://127.0.0.1/$"), url: httpUrl },
  "http with Basic and an invalid Location": { scheme: http(), script: createRepeatingHttpScript(BASIC_CHALLENGE, "302 to $\r\nlocation: http://$ $/"), url: httpUrl },
  "http with Basic and a redirect loop": { scheme: http(), script: createRepeatingHttpScript(BASIC_CHALLENGE, "302 to $\r\nlocation: $&b"), url: httpUrl, isRedirecting: true },
  "http with Basic and an unknown content coding": { scheme: http(), script: createRepeatingHttpScript(BASIC_CHALLENGE, "200 OK\r\ncontent-encoding: $"), url: httpUrl },
  "ftp with a refused password": { scheme: ftp({ idleTimeoutMs: 0 }), script: createReplyScript("220 hello", { USER: "331 $", PASS: "530 no" }), url: ftpUrl },
  "ftp with a missing directory": { scheme: ftp({ idleTimeoutMs: 0 }), script: createReplyScript("220 hello", FTP_LOGIN_REPLIES), url: ftpUrl },
  "ftp with a missing file": { scheme: ftp({ idleTimeoutMs: 0 }), script: createReplyScript("220 hello", { ...FTP_LOGIN_REPLIES, CWD: "250 $", TYPE: "200 $" }), url: ftpUrl },
  "nntp with a missing group": {
    scheme: nntp(),
    script: async (peer) => {
      peer.send("200 hello\r\n");
      let known = false;
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
        const answer: string = line.startsWith("AUTHINFO USER") ? "381 more" : line.startsWith("AUTHINFO PASS") ? "281 welcome" : known ? `411 no ${line}` : "480 who?";
        known ||= answer.startsWith("281");
        peer.send(`${answer}\r\n`);
      }
    },
    url: (port, chosen) => `nntp://127.0.0.1:${port}/${createGroupName(chosen)}/1`,
  },
}; // prettier-ignore

/** Performs a request. Returns the trace events and the error of the request in every text form. */
async function collectRequestTexts(
  row: PasswordOracleCase,
  url: string,
  port: number,
  password: string,
): Promise<string[]> {
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

/** Common passwords, words of error messages and replies, and parts of URLs. */
const arbitraryPassword = oneof(
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
/** Returns guesses of a password as an attacker writes them into a URL. */
const createPasswordGuesses = (password: string): string[] => [
  encodeURIComponent(password),
  `sesame,${encodeURIComponent(password)},swordfish`,
  Buffer.from(password).toString("hex"),
  encodeURIComponent(Buffer.from(`me:${password}`).toString("base64")),
];

describe.each(Object.entries(PASSWORD_ORACLE_CASES))(
  "a guess of the password in a URL does not reveal whether it is right: %s",
  (_, row) => {
    it("the trace and the error of a request are the same for two passwords", async () => {
      await using server = await startScriptedServer(row.script);
      await assert(
        asyncProperty(arbitraryPassword, arbitraryPassword, nat(3), async (right, wrong, index) => {
          const url = row.url(server.port, createPasswordGuesses(right)[index] ?? "");
          const texts: string[][] = [];
          // Both requests start on the same source line, because the stacks of their errors are compared too.
          for (const password of [right, wrong])
            texts.push(await collectRequestTexts(row, url, server.port, password));
          expect(texts[0]?.length).toBeGreaterThan(3);
          expect(texts[0]).toEqual(texts[1]);
        }),
        { seed: 1738, numRuns: 25 },
      );
    });

    it("the error message has the URL as the caller wrote it", async () => {
      await using server = await startScriptedServer(row.script);
      const url = row.url(server.port, "sesame,hunter2,swordfish");
      const texts = await collectRequestTexts(row, url, server.port, "hunter2");
      // The path of a URL from a redirect is masked, because the server may repeat a secret in it.
      const shown = row.isRedirecting ? url.replace(/[^/]*$/, "****") : url;
      expect(texts.at(-2)).toContain(`: dereference ${shown}`);
    });
  },
);
