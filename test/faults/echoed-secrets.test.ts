import type { DereferenceOptions, Scheme } from "@anyscheme/core";
import { type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, type GopherRequestOptions } from "@anyscheme/scheme-gopher";
import { http, type HttpRequestOptions } from "@anyscheme/scheme-http";
import { nntp, telnet } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../../packages/cli/test/command-in-process.ts";
import {
  expectNoPasswordInTexts,
  type RequestWithSecretLogin,
  TEST_PASSWORD,
  performRequestAndCollectTexts,
  TEST_PASSWORD_SPELLINGS,
  TEST_USER_NAME,
} from "./password-leak-check.ts";

/** A server's line that contains the test password in every spelling. */
const ECHOED_SECRETS = Buffer.from(TEST_PASSWORD_SPELLINGS.join(" ; ")).toString("latin1");
const ESCAPED_SECRET = encodeURIComponent(TEST_PASSWORD);

/** Returns a server script that sends, for each received line, the reply with the first matching prefix. */
const createReplyScript =
  (greeting: string, replies: Readonly<Record<string, string>>) =>
  async (peer: ScriptedPeer): Promise<void> => {
    peer.send(`${greeting}\r\n`);
    let hasReceivedSecret = false;
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
      const prefix = Object.keys(replies).find((beginning) => line.startsWith(beginning));
      hasReceivedSecret ||= /^(?:PASS|ACCT|AUTHINFO PASS)/.test(line);
      // A server cannot repeat a secret before it has received the secret.
      peer.send(
        `${prefix === undefined ? `500 ${hasReceivedSecret ? ECHOED_SECRETS : "what?"}` : replies[prefix]}\r\n`,
      );
    }
  };

const FTP_LOGIN_REPLIES = { USER: "331 the password", QUIT: `221 ${ECHOED_SECRETS}` };
const FTP_SESSION_REPLIES = {
  ...FTP_LOGIN_REPLIES,
  PASS: `230-${ECHOED_SECRETS}\r\n230 ${ECHOED_SECRETS}`,
  CWD: `250 ${ECHOED_SECRETS}`,
  TYPE: `200 ${ECHOED_SECRETS}`,
};

/** Returns an HTTP server script with one response for requests without credentials, and one for the others. */
const createHttpScript =
  (first: string, then: string) =>
  async (peer: ScriptedPeer): Promise<void> => {
    let hasReceivedSecret = false;
    for (let line = await peer.readLine(); line; line = await peer.readLine())
      hasReceivedSecret ||= /^(?:authorization|cookie):/i.test(line);
    const body = `content-length: ${ECHOED_SECRETS.length}\r\nconnection: close\r\n\r\n${ECHOED_SECRETS}`;
    peer.send(`HTTP/1.1 ${hasReceivedSecret ? then : first}\r\n${body}`);
  };

const BASIC_CHALLENGE = 'www-authenticate: Basic realm="r"';
const DIGEST_CHALLENGE = `www-authenticate: Digest realm="r", nonce="${ESCAPED_SECRET}", qop="auth"`;

interface SecretEchoCase {
  readonly scheme: Scheme;
  readonly script: (peer: ScriptedPeer) => Promise<void>;
  readonly url: (port: number) => string;
  readonly options?: DereferenceOptions & HttpRequestOptions & GopherRequestOptions;
}

const GOPHER_FORM_DATA = `+%091%0D%0A+-1%0D%0A${ESCAPED_SECRET}%0D%0A.%0D%0A`;
const httpEchoCase = { scheme: http(), url: (port: number): string => `http://127.0.0.1:${port}/` };

const SECRET_ECHO_CASES: Readonly<Record<string, SecretEchoCase>> = {
  "an ftp password that the server refuses": {
    scheme: ftp({ idleTimeoutMs: 0 }),
    script: createReplyScript(`220 hello`, { ...FTP_LOGIN_REPLIES, PASS: `530 ${ECHOED_SECRETS}` }),
    url: (port) => `ftp://${TEST_USER_NAME}:${ESCAPED_SECRET}@127.0.0.1:${port}/a`,
  },
  "an ftp password from the credentials callback": {
    scheme: ftp({ idleTimeoutMs: 0 }),
    script: createReplyScript(`220 hello`, { ...FTP_SESSION_REPLIES }),
    url: (port) => `ftp://${TEST_USER_NAME}@127.0.0.1:${port}/d/a`,
  },
  "an ftp account that the server refuses": {
    scheme: ftp({ idleTimeoutMs: 0 }),
    script: createReplyScript(`220 hello`, {
      ...FTP_LOGIN_REPLIES,
      PASS: "332 the account",
      ACCT: `530 ${ECHOED_SECRETS}`,
    }),
    url: (port) => `ftp://${TEST_USER_NAME}:p@127.0.0.1:${port}/a`,
  },
  "an nntp password that the server refuses": {
    scheme: nntp(),
    script: createReplyScript("200 hello", {
      "AUTHINFO USER": "381 the password",
      "AUTHINFO PASS": `481 ${ECHOED_SECRETS}`,
      G: "480 who?",
    }),
    url: (port) => `nntp://127.0.0.1:${port}/a.b/1`,
  },
  "an nntp password after which the server still requires a login": {
    scheme: nntp(),
    script: createReplyScript("200 hello", {
      "AUTHINFO USER": "381 the password",
      "AUTHINFO PASS": `281 ${ECHOED_SECRETS}`,
      G: "480 who?",
    }),
    url: (port) => `nntp://127.0.0.1:${port}/a.b/1`,
  },
  "an http Basic login in a 403 response": {
    ...httpEchoCase,
    script: createHttpScript(
      `401 Who\r\n${BASIC_CHALLENGE}`,
      `403 ${ECHOED_SECRETS}\r\nx-echo: ${ECHOED_SECRETS}`,
    ),
  },
  "an http Digest login in a 403 response": {
    ...httpEchoCase,
    script: createHttpScript(
      `401 Who\r\n${DIGEST_CHALLENGE}`,
      `403 ${ECHOED_SECRETS}\r\nx-echo: ${ECHOED_SECRETS}`,
    ),
  },
  "an http login in a Location with the scheme ftp": {
    ...httpEchoCase,
    script: createHttpScript(
      `401 Who\r\n${BASIC_CHALLENGE}`,
      `302 ${ECHOED_SECRETS}\r\nlocation: ftp://127.0.0.1/${ESCAPED_SECRET}`,
    ),
  },
  "an http login in the path of a followed Location": {
    ...httpEchoCase,
    script: createHttpScript(
      `401 Who\r\n${BASIC_CHALLENGE}`,
      `302 ${ECHOED_SECRETS}\r\nlocation: /${ESCAPED_SECRET}/${ESCAPED_SECRET}`,
    ),
  },
  "an http login in a Location that is no URL": {
    ...httpEchoCase,
    script: createHttpScript(
      `401 Who\r\n${BASIC_CHALLENGE}`,
      `302 ${ECHOED_SECRETS}\r\nlocation: http://${ESCAPED_SECRET} ${ECHOED_SECRETS}/`,
    ),
  },
  "an http login in a Content-Encoding header": {
    ...httpEchoCase,
    script: createHttpScript(
      `401 Who\r\n${BASIC_CHALLENGE}`,
      `200 ${ECHOED_SECRETS}\r\ncontent-encoding: ${ESCAPED_SECRET}`,
    ),
  },
  "an Authorization header of the caller": {
    ...httpEchoCase,
    script: createHttpScript("400 no", `403 ${ECHOED_SECRETS}`),
    options: { headers: { authorization: `Bearer ${Buffer.from(TEST_PASSWORD).toString("latin1")}` } },
  },
  "a telnet password, which is never sent": {
    scheme: telnet(),
    script: (peer) => peer.closed,
    url: (port) => `telnet://${TEST_USER_NAME}:${ESCAPED_SECRET}@127.0.0.1:${port}/`,
  },
  "a value of a Gopher+ form": {
    scheme: gopher(),
    script: async (peer) => {
      await peer.readLine();
      peer.send(`--1\r\n1 admin <a@h.example>\r\nno\r\n.\r\n`);
    },
    url: (port) => `gopher://127.0.0.1:${port}/0x%09%09${GOPHER_FORM_DATA}`,
    options: { allowForms: true },
  },
};

async function startEchoingServer({
  scheme,
  script,
  url,
  options = {},
}: SecretEchoCase): Promise<RequestWithSecretLogin> {
  const server = await startScriptedServer(script);
  return { scheme, url: url(server.port), port: server.port, options, stop: () => server.stop() };
}

describe.each(Object.entries(SECRET_ECHO_CASES))(
  "the client masks %s when the server echoes it",
  (_, row) => {
    it("no trace event, error or resource contains the echoed secret", async () => {
      const login = await startEchoingServer(row);
      const texts = await performRequestAndCollectTexts(login);
      await login.stop();
      expect(texts.length).toBeGreaterThan(2);
      expectNoPasswordInTexts(texts, "echo");
    });

    it("neither stdout nor stderr of the command contains the echoed secret", async () => {
      const login = await startEchoingServer(row);
      const arguments_ = [
        "get",
        "-v",
        "-u",
        `${TEST_USER_NAME}:${TEST_PASSWORD}`,
        "--allow-port",
        `${row.scheme.name}:${login.port}`,
        login.url,
      ];
      const { exitCode, stdout, stderr } = await runCommandInProcess(arguments_);
      await login.stop();
      expect(exitCode).toEqual(expect.any(Number));
      expectNoPasswordInTexts([stdout, stderr], arguments_.join(" "));
    });
  },
);
