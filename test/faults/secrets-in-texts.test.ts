import { ftp } from "@anyscheme/scheme-ftp";
import { nntp } from "@anyscheme/scheme-others";
import { startFtpTestServer, startNntpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { FAILING_NODE_CALL_KINDS, patchNodeToFailNthCall } from "./inject-failure.ts";
import {
  expectNoPasswordInTexts,
  type RequestWithSecretLogin,
  TEST_PASSWORD,
  performRequestAndCollectTexts,
} from "./password-leak-check.ts";

const MAX_SYSTEM_CALLS = 60;

/** Requests with the secret as password, which is passed in each possible way. */
const LOGIN_REQUESTS: Readonly<Record<string, () => Promise<RequestWithSecretLogin>>> = {
  async "an ftp request with the password in the URL"() {
    const server = await startFtpTestServer({ files: { "a.txt": "text" }, users: { me: TEST_PASSWORD } });
    const url = `ftp://me:${encodeURIComponent(TEST_PASSWORD)}@localhost:${server.port}/a.txt`;
    return { scheme: ftp(), url, port: server.port, stop: () => server.stop() };
  },
  async "an ftp request with the password from the callback"() {
    const server = await startFtpTestServer({ files: { "a.txt": "text" }, users: { me: TEST_PASSWORD } });
    const url = `ftp://me@localhost:${server.port}/a.txt`;
    return { scheme: ftp(), url, port: server.port, stop: () => server.stop() };
  },
  async "an ftp request with a refused password"() {
    const server = await startFtpTestServer({ files: {}, users: { me: "another" } });
    const url = `ftp://me:${encodeURIComponent(TEST_PASSWORD)}@localhost:${server.port}/a.txt`;
    return { scheme: ftp(), url, port: server.port, stop: () => server.stop() };
  },
  async "an nntp request with the password from the callback"() {
    const groups = {
      "misc.test": { articles: ["Subject: s\r\nMessage-ID: <one@h.example>\r\n\r\ntext\r\n"] },
    };
    const server = await startNntpTestServer({ groups, login: { user: "me", password: TEST_PASSWORD } });
    const url = `nntp://localhost:${server.port}/misc.test/1`;
    return { scheme: nntp(), url, port: server.port, stop: () => server.stop() };
  },
};

describe.each(Object.keys(LOGIN_REQUESTS))("no text of %s contains the password", (name) => {
  it("no text contains the password when all system calls succeed", async () => {
    const login = await (LOGIN_REQUESTS[name] as () => Promise<RequestWithSecretLogin>)();
    try {
      const texts = await performRequestAndCollectTexts(login);
      expect(texts.length).toBeGreaterThan(3);
      expectNoPasswordInTexts(texts, "no fault");
    } finally {
      await login.stop();
    }
  });

  it.each(FAILING_NODE_CALL_KINDS)("no text contains the password when a %s call fails", async (kind) => {
    const login = await (LOGIN_REQUESTS[name] as () => Promise<RequestWithSecretLogin>)();
    try {
      for (let n = 1; n <= MAX_SYSTEM_CALLS; n++) {
        const points = patchNodeToFailNthCall(kind, n);
        const texts = await performRequestAndCollectTexts(login).finally(() => points.restore());
        expectNoPasswordInTexts(texts, `${kind} ${n}`);
        if (!points.hasOccurred) break;
      }
    } finally {
      await login.stop();
    }
  });
});
