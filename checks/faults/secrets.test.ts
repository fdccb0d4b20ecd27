import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createClient, type Scheme, TRANSCRIPT_CHANNEL, trusted } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { nntp } from "@anyscheme/scheme-others";
import { startSmallFtp, startSmallNntp } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { FAULT_KINDS, setFaultPoint } from "./fault-points.ts";

/** With octets that escapes and base64 spell in ways of their own. */
const NEEDLE = "n33dle/é?";
const SPELLINGS = [
  NEEDLE,
  encodeURIComponent(NEEDLE),
  Buffer.from(NEEDLE).toString("base64"),
  Buffer.from(NEEDLE).toString("hex"),
  Buffer.from(NEEDLE).toString("latin1"),
];
const MOST = 60;

interface Login {
  readonly scheme: Scheme;
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** A login with the needle, given in every way in which a password can come in. */
const LOGINS: Readonly<Record<string, () => Promise<Login>>> = {
  async "ftp, by the URL"() {
    const server = await startSmallFtp({ files: { "a.txt": "text" }, users: { me: NEEDLE } });
    const url = `ftp://me:${encodeURIComponent(NEEDLE)}@localhost:${server.port}/a.txt`;
    return { scheme: ftp(), url, port: server.port, stop: () => server.stop() };
  },
  async "ftp, by the callback"() {
    const server = await startSmallFtp({ files: { "a.txt": "text" }, users: { me: NEEDLE } });
    const url = `ftp://me@localhost:${server.port}/a.txt`;
    return { scheme: ftp(), url, port: server.port, stop: () => server.stop() };
  },
  async "ftp, refused"() {
    const server = await startSmallFtp({ files: {}, users: { me: "another" } });
    const url = `ftp://me:${encodeURIComponent(NEEDLE)}@localhost:${server.port}/a.txt`;
    return { scheme: ftp(), url, port: server.port, stop: () => server.stop() };
  },
  async "nntp, by the callback"() {
    const groups = {
      "misc.test": { articles: ["Subject: s\r\nMessage-ID: <one@h.example>\r\n\r\ntext\r\n"] },
    };
    const server = await startSmallNntp({ groups, login: { user: "me", password: NEEDLE } });
    const url = `nntp://localhost:${server.port}/misc.test/1`;
    return { scheme: nntp(), url, port: server.port, stop: () => server.stop() };
  },
};

function everything(value: unknown): string {
  const json = JSON.stringify(value, (_, part: unknown) => (part instanceof Error ? inspect(part) : part));
  const stack = value instanceof Error ? `${value.message} ${value.stack} ${String(value)}` : String(value);
  return `${inspect(value, { depth: Infinity, showHidden: true })} ${json} ${stack}`;
}

/** One access; gives all that it said, in whatever way. */
async function said({ scheme, url, port }: Login): Promise<string[]> {
  const heard: unknown[] = [];
  const listen = (event: unknown): void => void heard.push(event);
  subscribe(TRANSCRIPT_CHANNEL, listen);
  const client = createClient({
    schemes: [scheme],
    policy: trusted({ allowPorts: { [scheme.name]: [port] } }),
    credentials: () => ({ user: "me", password: NEEDLE }),
    transcript: listen,
  });
  try {
    heard.push(client.plan(url));
    const resource = await client.dereference(url);
    heard.push(resource);
    if (resource.kind === "content") await resource.saveTo(join(tmpdir(), `anyscheme-${process.pid}`));
  } catch (error) {
    heard.push(error);
  } finally {
    unsubscribe(TRANSCRIPT_CHANNEL, listen);
    await client.close();
  }
  return heard.map(everything);
}

function expectNoNeedle(texts: readonly string[], at: string): void {
  for (const text of texts)
    for (const spelling of SPELLINGS) expect(text.includes(spelling), `${at}\n${text}`).toBe(false);
}

describe.each(Object.keys(LOGINS))("no password is said by anything: %s", (name) => {
  it("when nothing fails but the server", async () => {
    const login = await (LOGINS[name] as () => Promise<Login>)();
    try {
      const texts = await said(login);
      expect(texts.length).toBeGreaterThan(3);
      expectNoNeedle(texts, "no fault");
    } finally {
      await login.stop();
    }
  });

  it.each(FAULT_KINDS)("whatever %s fails", async (kind) => {
    const login = await (LOGINS[name] as () => Promise<Login>)();
    try {
      for (let n = 1; n <= MOST; n++) {
        const points = setFaultPoint(kind, n);
        const texts = await said(login).finally(() => points.restore());
        expectNoNeedle(texts, `${kind} ${n}`);
        if (!points.struck) break;
      }
    } finally {
      await login.stop();
    }
  });
});
