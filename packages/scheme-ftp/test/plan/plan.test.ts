import { type AccessError, createClient, type Plan } from "@anyscheme/core";
import type { PlanOptions } from "@anyscheme/core/plugin";
import { ftp, type FtpRequestOptions, type FtpOptions, ftpSyntax } from "@anyscheme/scheme-ftp";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPlannedCommands } from "../scripted-ftp-server.ts";

function planFtpUrl(
  text: string,
  options: PlanOptions & FtpRequestOptions = {},
  settings: FtpOptions = {},
): Plan {
  return createClient({ schemes: [ftp(settings)] }).plan(ftpSyntax.parse(text), options);
}

/** Returns the planned commands of a new session between the login and QUIT. */
const planCommands = (text: string, options?: FtpRequestOptions, settings?: FtpOptions): string =>
  formatPlannedCommands(planFtpUrl(text, options, { idleTimeoutMs: 0, ...settings }))
    .replace(/^USER .*\r\n/, "")
    .replace(/QUIT\r\n$/, "");

describe("a plan contains the command bytes of RFC 1738 §3.2.2", () => {
  it.each([
    ["ftp://myname@host.dom/%2Fetc/motd", "CWD /etc\r\nTYPE I\r\nSIZE motd\r\nEPSV\r\nRETR motd\r\n"],
    ["ftp://myname@host.dom/etc/motd", "CWD etc\r\nTYPE I\r\nSIZE motd\r\nEPSV\r\nRETR motd\r\n"],
    ["ftp://myname@host.dom//etc/motd", "CWD \r\nCWD etc\r\nTYPE I\r\nSIZE motd\r\nEPSV\r\nRETR motd\r\n"],
    ["ftp://info.cern.ch/pub/www/doc;type=d", "CWD pub\r\nCWD www\r\nTYPE A\r\nEPSV\r\nNLST doc\r\n"],
    ["ftp://ds.internic.net/rfc/rfc1436.txt;type=a", "CWD rfc\r\nTYPE A\r\nEPSV\r\nRETR rfc1436.txt\r\n"],
    ["ftp://ds.internic.net/rfc/rfc1630.txt", "CWD rfc\r\nTYPE A\r\nEPSV\r\nRETR rfc1630.txt\r\n"],
    [
      "ftp://prospero.isi.edu/pub/doc/prospero-protocol.PS.Z",
      "CWD pub\r\nCWD doc\r\nTYPE I\r\nSIZE prospero-protocol.PS.Z\r\nEPSV\r\nRETR prospero-protocol.PS.Z\r\n",
    ],
    ["ftp://h.dom/a;type=I", "TYPE I\r\nSIZE a\r\nEPSV\r\nRETR a\r\n"],
    ["ftp://h.dom/a/;type=d", "CWD a\r\nTYPE A\r\nEPSV\r\nNLST\r\n"],
    ["ftp://h.dom/a/;type=i", "CWD a\r\nTYPE I\r\nSIZE \r\nEPSV\r\nRETR \r\n"],
    ["ftp://h.dom/a/", "CWD a\r\nTYPE A\r\nEPSV\r\nMLSD\r\n"],
    ["ftp://h.dom/", "TYPE A\r\nEPSV\r\nMLSD\r\n"],
    ["ftp://h.dom", "TYPE A\r\nEPSV\r\nMLSD\r\n"],
    [
      "ftp://h.dom/../%2E/caf%E9?x",
      "CWD ..\r\nCWD .\r\nTYPE I\r\nSIZE caf\xe9?x\r\nEPSV\r\nRETR caf\xe9?x\r\n",
    ],
    ["ftp://h.dom/%FFx", "TYPE I\r\nSIZE \xff\xffx\r\nEPSV\r\nRETR \xff\xffx\r\n"],
  ])("the scheme ftp plans the bytes of the FTP commands for %s", (text, bytes) => {
    expect(planCommands(text)).toBe(bytes);
  });

  it("the scheme ftp plans every allowed byte of a name unchanged, and doubles 0xFF", () => {
    fc.assert(
      fc.property(fc.uint8Array({ min: 0x20 }), fc.uint8Array({ min: 0x20 }), (cwd, name) => {
        fc.pre(!cwd.includes(0x7f) && !name.includes(0x7f));
        const { href } = ftpSyntax.build({ host: "h.dom", cwd: [cwd], name, type: "i" });
        const twice = (bytes: Uint8Array): string =>
          Buffer.from(bytes).toString("latin1").replaceAll("\xff", "\xff\xff");
        expect(planCommands(href)).toBe(
          `CWD ${twice(cwd)}\r\nTYPE I\r\nSIZE ${twice(name)}\r\nEPSV\r\nRETR ${twice(name)}\r\n`,
        );
      }),
    );
  });
});

describe("a plan sets the transfer type", () => {
  it.each<[string, PlanOptions & FtpRequestOptions, FtpOptions, string, string]>([
    ["ftp://h.dom/a.txt", {}, {}, "3.2.3", "TYPE A (the suffix means text/plain)"],
    ["ftp://h.dom/a.gif", {}, {}, "3.2.3", "TYPE I (the suffix means image/gif)"],
    ["ftp://h.dom/a", {}, {}, "3.2.3", "TYPE I (no known suffix)"],
    ["ftp://h.dom/a.gif;type=a", {}, {}, "3.2.2", "TYPE A (as given)"],
    ["ftp://h.dom/a.txt", {}, { defaultTransferType: "i" }, "3.2.3", "TYPE I (as given)"],
    ["ftp://h.dom/a.txt", { resume: {} }, {}, "3.2.3", "TYPE I (resume counts bytes)"],
    [
      "ftp://h.dom/a.txt",
      { exactBytes: true },
      {},
      "3.2.3",
      "TYPE I (the request asks for the bytes without conversion of line ends)",
    ],
    ["ftp://h.dom/a.txt", { exactBytes: true }, { defaultTransferType: "a" }, "3.2.3", "TYPE A (as given)"],
    ["ftp://h.dom/a.txt;type=a", { exactBytes: true }, {}, "3.2.2", "TYPE A (as given)"],
    ["ftp://h.dom/a.txt", { range: { start: 1 } }, {}, "3.2.3", "TYPE I (a range counts bytes)"],
    ["ftp://h.dom/a.txt;type=a", { type: "i" }, { defaultTransferType: "a" }, "3.2.2", "TYPE I (as given)"],
  ])(
    "the scheme ftp plans the TYPE command for %s with the request options %o and the scheme options %o",
    (text, options, settings, section, description) => {
      const step = planFtpUrl(text, options, settings).steps.find((candidate) =>
        candidate.description.startsWith("TYPE"),
      );
      expect(step).toMatchObject({ spec: section, description });
    },
  );

  it('the scheme ftp plans NLST for the request option type: "d"', () => {
    expect(planCommands("ftp://h.dom/a.txt;type=i", { type: "d" })).toBe("TYPE A\r\nEPSV\r\nNLST a.txt\r\n");
  });
});

describe("a plan contains the login of RFC 1738 §3.2.1", () => {
  it.each<[string, string | undefined, string, string | undefined, string]>([
    ["ftp://host.com/", undefined, "USER anonymous\r\n", "PASS anonymous@\r\n", "PASS anonymous@"],
    [
      "ftp://host.com/",
      "me@here.dom",
      "USER anonymous\r\n",
      "PASS me@here.dom\r\n",
      "PASS **** (the e-mail address)",
    ],
    ["ftp://foo:@host.com/", "me@here.dom", "USER foo\r\n", "PASS \r\n", "PASS ****"],
    ["ftp://foo:b%C3%A9@host.com/", undefined, "USER foo\r\n", "PASS b\xc3\xa9\r\n", "PASS ****"],
    ["ftp://foo@host.com/", undefined, "USER foo\r\n", undefined, "PASS **** (from the credentials)"],
    ["ftp://@host.com/", undefined, "USER \r\n", undefined, "PASS **** (from the credentials)"],
  ])(
    "the scheme ftp plans USER and PASS for %s with the e-mail address %s",
    (text, email, user, pass, description) => {
      const created = planFtpUrl(text, { email });
      expect(formatPlannedCommands(created).startsWith(user)).toBe(true);
      const step = created.steps.find(({ onReply: when, action }) => action === "send" && when === "331");
      expect(step?.description).toBe(description);
      expect(step?.bytes && Buffer.from(step.bytes).toString("latin1")).toBe(pass);
    },
  );

  it("a plan contains no password in its JSON or its descriptions", () => {
    const created = planFtpUrl("ftp://foo:needle@host.com/a");
    expect(JSON.stringify(created)).not.toContain("needle");
    expect(created.steps.map(({ description: text }) => text).join()).not.toContain("needle");
  });
});

describe("a plan lists its steps in order", () => {
  it("the plan lists all commands and expected replies with the section of the specification", () => {
    const rows = planFtpUrl("ftp://h.dom/etc/a.gif").steps.map(
      ({ action, spec: section, description: text, onReply: when, expectReplies: accept }) => [
        action,
        section,
        text,
        when ?? "",
        accept?.join(" ") ?? "",
      ],
    );
    expect(rows).toEqual([
      ["resolve", "3.1", "h.dom", "", ""],
      ["connect", "3.1", "h.dom port 21", "", ""],
      ["expect", "RFC 959 5.4", "the server greets with 220; 120 asks the client to wait", "", "220"],
      ["send", "3.2.1", "USER anonymous", "", ""],
      [
        "expect",
        "RFC 959 5.4",
        "the server replies 230 (logged in), 331 (password required) or 332 (account required)",
        "",
        "2 331 332",
      ],
      ["send", "3.2.1", "PASS anonymous@", "331", ""],
      [
        "expect",
        "RFC 959 5.4",
        "the server replies 230 (logged in) or 332 (account required)",
        "331",
        "2 332",
      ],
      ["send", "RFC 959 4.1.1", "ACCT **** (from the credentials)", "332", ""],
      ["expect", "RFC 959 5.4", "the server replies 230 (logged in)", "332", "2"],
      ["send", "3.2.5", "PWD", "", ""],
      ["expect", "RFC 959 5.4", "the server replies 257 with the login directory", "", "2 4 5"],
      [
        "send",
        "3.2.5",
        "CWD (to the login directory, if a reused session is in another directory)",
        "257",
        "",
      ],
      ["expect", "RFC 959 5.4", "the server replies 250 (directory changed)", "257", "2"],
      ["send", "3.2.5", "PWD", "257", ""],
      [
        "expect",
        "RFC 959 5.4",
        "the server replies 257 with the login directory; otherwise the client opens a new connection",
        "257",
        "257",
      ],
      ["send", "3.2.2", "CWD etc", "", ""],
      ["expect", "RFC 959 5.4", "the server replies 250 (directory changed)", "", "2"],
      ["send", "3.2.3", "TYPE I (the suffix means image/gif)", "", ""],
      ["expect", "RFC 959 5.4", "the server replies 200 (transfer type set)", "", "2"],
      ["send", "RFC 3659 4", "SIZE a.gif", "", ""],
      ["send", "RFC 2428 3", "EPSV", "", ""],
      ["expect", "RFC 959 5.4", "the server replies 213 with the size in bytes", "", "213 4 5"],
      [
        "expect",
        "RFC 959 5.4",
        "the server replies 229 with a port; the client sends PASV after any other reply, or if the port is unreachable",
        "",
        "2 3 4 5",
      ],
      ["send", "RFC 959 4.1.2", "PASV", "5", ""],
      [
        "expect",
        "RFC 959 5.4",
        "the server replies 227 with a port; the client ignores the address",
        "5",
        "227",
      ],
      [
        "connect",
        "RFC 959 3.2",
        "the client opens the data connection to this port on the same host",
        "",
        "",
      ],
      ["send", "3.2.2", "RETR a.gif", "", ""],
      ["expect", "RFC 959 5.4", "the server replies 125 or 150 (transfer starts)", "", "1"],
      ["transfer", "3.2.2", "the server sends the bytes of the file unchanged", "", ""],
      ["send", "RFC 959 4.1.3", "NOOP", "1", ""],
      ["expect", "RFC 959 5.4", "the server replies 226 or 250 (transfer complete)", "", "2"],
      ["send", "RFC 959 4.1.1", "QUIT", "", ""],
      [
        "close",
        "RFC 959 4.1.1",
        "the client closes both connections; a reusable control connection first remains in the pool",
        "",
        "",
      ],
    ]);
  });

  it("the plan escapes control characters of a file name in the description of a step", () => {
    const step = planFtpUrl("ftp://h.dom/a%1B%9B", { allowControlCharacters: true }).steps.find(
      ({ description: text }) => text.startsWith("RETR"),
    );
    expect(step?.description).toBe("RETR a%1B%9B");
  });
});

describe("planning rejects control bytes", () => {
  const places = {
    directory: (byte: string) => `ftp://h.dom/a${byte}/b`,
    name: (byte: string) => `ftp://h.dom/a${byte}`,
    "name with ;type=d": (byte: string) => `ftp://h.dom/a${byte};type=d`,
    "user name": (byte: string) => `ftp://a${byte}@h.dom/b`,
    password: (byte: string) => `ftp://a:${byte}@h.dom/b`,
  };
  const refused = (text: string, options: PlanOptions): string | undefined => {
    try {
      planFtpUrl(text, options);
      return undefined;
    } catch (error) {
      return (error as AccessError).code;
    }
  };
  it.each(Object.entries(places))("the plan rejects control bytes in the %s of a URL", (_, urlWith) => {
    for (let byte = 0; byte < 256; byte++) {
      const text = urlWith(`%${byte.toString(16).padStart(2, "0")}`);
      const delimiter = [0x00, 0x0a, 0x0d].includes(byte);
      const control = byte < 0x20 || byte === 0x7f;
      expect([byte, refused(text, {})]).toEqual([byte, control ? "refused-characters" : undefined]);
      expect([byte, refused(text, { allowControlCharacters: true })]).toEqual([
        byte,
        delimiter ? "refused-characters" : undefined,
      ]);
    }
  });

  it("the error for a control byte in a password does not contain the byte", () => {
    expect(() => planFtpUrl("ftp://a:x%07@h.dom/b")).toThrow(/^the password contains a control byte/);
  });

  it("the plan rejects a line end in the e-mail address of the caller", () => {
    expect(refused("ftp://h.dom/", { email: "a@b\r\nDELE x" })).toBe("refused-characters");
  });
});
