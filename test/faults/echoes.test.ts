import type { DereferenceOptions, Scheme } from "@anyscheme/core";
import { type Peer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherRequestOptions } from "@anyscheme/scheme-gopher";
import { http, type HttpRequestOptions } from "@anyscheme/scheme-http";
import { nntp, telnet } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { runHere } from "../../packages/cli/test/test-io.ts";
import { expectNoNeedle, type Login, NEEDLE, said, SPELLINGS, USER } from "./request-texts.ts";

/** The secret in every spelling, as bytes of one line. */
const ECHO = Buffer.from(SPELLINGS.join(" ; ")).toString("latin1");
const WRITTEN = encodeURIComponent(NEEDLE);

/** Returns a server that sends the reply of the first matching prefix for each line. */
const answering =
  (greeting: string, answers: Readonly<Record<string, string>>) =>
  async (peer: Peer): Promise<void> => {
    peer.send(`${greeting}\r\n`);
    let told = false;
    for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
      const verb = Object.keys(answers).find((beginning) => line.startsWith(beginning));
      told ||= /^(?:PASS|ACCT|AUTHINFO PASS)/.test(line);
      // A server that received no secret cannot repeat it.
      peer.send(`${verb === undefined ? `500 ${told ? ECHO : "what?"}` : answers[verb]}\r\n`);
    }
  };

const FTP = { USER: "331 the password", QUIT: `221 ${ECHO}` };
const LOGGED_IN = { ...FTP, PASS: `230-${ECHO}\r\n230 ${ECHO}`, CWD: `250 ${ECHO}`, TYPE: `200 ${ECHO}` };

/** Returns an HTTP server that sends this header section after it has received credentials. */
const replying =
  (first: string, then: string) =>
  async (peer: Peer): Promise<void> => {
    let told = false;
    for (let line = await peer.line(); line; line = await peer.line())
      told ||= /^(?:authorization|cookie):/i.test(line);
    const body = `content-length: ${ECHO.length}\r\nconnection: close\r\n\r\n${ECHO}`;
    peer.send(`HTTP/1.1 ${told ? then : first}\r\n${body}`);
  };

const BASIC = 'www-authenticate: Basic realm="r"';
const DIGEST = `www-authenticate: Digest realm="r", nonce="${WRITTEN}", qop="auth"`;

interface Row {
  readonly scheme: Scheme;
  readonly script: (peer: Peer) => Promise<void>;
  readonly url: (port: number) => string;
  readonly options?: DereferenceOptions & HttpRequestOptions & GopherRequestOptions;
}

const FORM = `+%091%0D%0A+-1%0D%0A${WRITTEN}%0D%0A.%0D%0A`;
const ofHttp = { scheme: http(), url: (port: number): string => `http://127.0.0.1:${port}/` };

const ROWS: Readonly<Record<string, Row>> = {
  "ftp, a password that is refused": {
    scheme: ftp({ idleTimeoutMs: 0 }),
    script: answering(`220 hello`, { ...FTP, PASS: `530 ${ECHO}` }),
    url: (port) => `ftp://${USER}:${WRITTEN}@127.0.0.1:${port}/a`,
  },
  "ftp, a password that is asked for": {
    scheme: ftp({ idleTimeoutMs: 0 }),
    script: answering(`220 hello`, { ...LOGGED_IN }),
    url: (port) => `ftp://${USER}@127.0.0.1:${port}/d/a`,
  },
  "ftp, an account": {
    scheme: ftp({ idleTimeoutMs: 0 }),
    script: answering(`220 hello`, { ...FTP, PASS: "332 the account", ACCT: `530 ${ECHO}` }),
    url: (port) => `ftp://${USER}:p@127.0.0.1:${port}/a`,
  },
  "nntp, a password that is refused": {
    scheme: nntp(),
    script: answering("200 hello", {
      "AUTHINFO USER": "381 the password",
      "AUTHINFO PASS": `481 ${ECHO}`,
      G: "480 who?",
    }),
    url: (port) => `nntp://127.0.0.1:${port}/a.b/1`,
  },
  "nntp, a login that leads nowhere": {
    scheme: nntp(),
    script: answering("200 hello", {
      "AUTHINFO USER": "381 the password",
      "AUTHINFO PASS": `281 ${ECHO}`,
      G: "480 who?",
    }),
    url: (port) => `nntp://127.0.0.1:${port}/a.b/1`,
  },
  "http, Basic, in the words of a refusal": {
    ...ofHttp,
    script: replying(`401 Who\r\n${BASIC}`, `403 ${ECHO}\r\nx-echo: ${ECHO}`),
  },
  "http, Digest, in the words of a refusal": {
    ...ofHttp,
    script: replying(`401 Who\r\n${DIGEST}`, `403 ${ECHO}\r\nx-echo: ${ECHO}`),
  },
  "http, in a Location": {
    ...ofHttp,
    script: replying(`401 Who\r\n${BASIC}`, `302 ${ECHO}\r\nlocation: ftp://127.0.0.1/${WRITTEN}`),
  },
  "http, in the path of a Location that is followed": {
    ...ofHttp,
    script: replying(`401 Who\r\n${BASIC}`, `302 ${ECHO}\r\nlocation: /${WRITTEN}/${WRITTEN}`),
  },
  "http, in a Location that is no URL": {
    ...ofHttp,
    script: replying(`401 Who\r\n${BASIC}`, `302 ${ECHO}\r\nlocation: http://${WRITTEN} ${ECHO}/`),
  },
  "http, in a content coding": {
    ...ofHttp,
    script: replying(`401 Who\r\n${BASIC}`, `200 ${ECHO}\r\ncontent-encoding: ${WRITTEN}`),
  },
  "http, a header field of the caller's": {
    ...ofHttp,
    script: replying("400 no", `403 ${ECHO}`),
    options: { headers: { authorization: `Bearer ${Buffer.from(NEEDLE).toString("latin1")}` } },
  },
  "telnet, which never sends it": {
    scheme: telnet(),
    script: (peer) => peer.closed,
    url: (port) => `telnet://${USER}:${WRITTEN}@127.0.0.1:${port}/`,
  },
  "gopher, an answer to a form": {
    scheme: gopher(),
    script: async (peer) => {
      await peer.line();
      peer.send(`--1\r\n1 admin <a@h.example>\r\nno\r\n.\r\n`);
    },
    url: (port) => `gopher://127.0.0.1:${port}/0x%09%09${FORM}`,
    options: { allowForms: true },
  },
};

async function loginOf({ scheme, script, url, options = {} }: Row): Promise<Login> {
  const server = await startScriptedServer(script);
  return { scheme, url: url(server.port), port: server.port, options, stop: () => server.stop() };
}

describe.each(Object.entries(ROWS))("a secret that a server echoes is masked: %s", (_, row) => {
  it("no trace event, error or resource contains the echoed secret", async () => {
    const login = await loginOf(row);
    const texts = await said(login);
    await login.stop();
    expect(texts.length).toBeGreaterThan(2);
    expectNoNeedle(texts, "echo");
  });

  it("neither stdout nor stderr of the command contains the echoed secret", async () => {
    const login = await loginOf(row);
    const arguments_ = [
      "get",
      "-v",
      "-u",
      `${USER}:${NEEDLE}`,
      "--allow-port",
      `${row.scheme.name}:${login.port}`,
      login.url,
    ];
    const { exit, out, err } = await runHere(arguments_);
    await login.stop();
    expect(exit).toEqual(expect.any(Number));
    expectNoNeedle([out, err], arguments_.join(" "));
  });
});
