import { ftp } from "@anyscheme/scheme-ftp";
import { nntp } from "@anyscheme/scheme-others";
import { startSmallFtp, startSmallNntp } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { FAULT_KINDS, setFaultPoint } from "./fault-points.ts";
import { expectNoNeedle, type Login, NEEDLE, said } from "./request-texts.ts";

const MOST = 60;

/** Logins with the secret, one for every way to pass a password. */
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

describe.each(Object.keys(LOGINS))("no text of a request contains the password: %s", (name) => {
  it("a request without failing system calls does not reveal the password", async () => {
    const login = await (LOGINS[name] as () => Promise<Login>)();
    try {
      const texts = await said(login);
      expect(texts.length).toBeGreaterThan(3);
      expectNoNeedle(texts, "no fault");
    } finally {
      await login.stop();
    }
  });

  it.each(FAULT_KINDS)("a request with a failing %s call does not reveal the password", async (kind) => {
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
