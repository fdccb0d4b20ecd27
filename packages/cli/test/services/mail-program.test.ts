import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MailboxResource } from "@anyscheme/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findProgramToOpenUrl, toSafeMailto } from "../../src/services/mail-program.ts";
import { runBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

type MailHeaders = [name: string, value: string][];

const createMailbox = (address: string, headers: MailHeaders = []): MailboxResource =>
  ({
    recipients: [{ address, localPart: "", domain: "" }],
    headers,
  }) as Partial<MailboxResource> as MailboxResource;

describe("toSafeMailto", () => {
  const rows: [address: string, headers: MailHeaders, url: string, removedHeaders: string[]][] = [
    ["timbl@info.cern.ch", [], "mailto:timbl@info.cern.ch", []],
    ["user%host@gateway.dom", [], "mailto:user%25host@gateway.dom", []],
    ['"a b"@h', [], "mailto:%22a%20b%22@h", []],
    ["o'neil@h", [], "mailto:o%27neil@h", []],
    ["a?subject=x&b@h", [], "mailto:a%3Fsubject%3Dx%26b@h", []],
    ["$(reboot);`x`|y@h", [], "mailto:%24%28reboot%29%3B%60x%60%7Cy@h", []],
    ["--attach=x@h", [], "mailto:--attach%3Dx@h", []],
    ["a@[10.0.0.1]", [], "mailto:a@%5B10.0.0.1%5D", []],
    [
      "a@h",
      [
        ["subject", "a b & c"],
        ["body", "1\r\n2"],
      ],
      "mailto:a@h?subject=a%20b%20%26%20c&body=1%0D%0A2",
      [],
    ],
    [
      "a@h",
      [
        ["cc", "b@h"],
        ["bcc", "c@h"],
      ],
      "mailto:a@h?cc=b@h&bcc=c@h",
      [],
    ],
    [
      "a@h",
      [
        ["attach", "/etc/passwd"],
        ["attachment", "x"],
        ["subject", "y"],
      ],
      "mailto:a@h?subject=y",
      ["attach", "attachment"],
    ],
    ["a@h", [["from", "boss@h"]], "mailto:a@h", ["from"]],
    ["a@h", [["to", "boss@h"]], "mailto:a@h", []],
  ];
  it.each(rows)(
    "toSafeMailto creates the URL for the address %s and the headers %j",
    (address, headers, url, removedHeaders) => {
      expect(toSafeMailto(createMailbox(address, headers))).toEqual({ url, removedHeaders });
    },
  );

  it("the mailto URL has no character that a shell or desktop interprets, except ? and & between fields", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (address, value) => {
        const { url } = toSafeMailto(createMailbox(address, [["subject", value]]));
        expect(url).toMatch(/^mailto:(?:[\w.@-]|%[0-9A-F]{2})*\?subject=(?:[\w.@-]|%[0-9A-F]{2})*$/);
      }),
    );
  });
});

describe("findProgramToOpenUrl", () => {
  const url = "mailto:a@h";
  it.each<[platform: NodeJS.Platform, program: string | undefined, args: string[]]>([
    ["linux", "xdg-open", [url]],
    ["freebsd", "xdg-open", [url]],
    ["darwin", "/usr/bin/open", [url]],
    ["win32", "C:\\Windows\\System32\\rundll32.exe", ["url.dll,FileProtocolHandler", url]],
    ["android", undefined, []],
  ])("findProgramToOpenUrl returns the program of the platform %s", (platform, program, args) => {
    expect(findProgramToOpenUrl(url, platform)).toEqual(program && { program, args });
  });

  it("findProgramToOpenUrl uses the SystemRoot of Windows", () => {
    expect(findProgramToOpenUrl(url, "win32", "D:\\WINNT")?.program).toBe(
      "D:\\WINNT\\System32\\rundll32.exe",
    );
  });
});

describe.runIf(process.platform === "linux")("open passes mailto URLs to the mail program", () => {
  /** Creates a fake xdg-open that writes its arguments to a file, one per line, and exits with the given code. */
  function handler(exit = 0): { env: NodeJS.ProcessEnv; given: () => string } {
    const folder = createTemporaryFolder();
    const program = join(folder, "xdg-open");
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" >"$(dirname "$0")/given"\nexit ${exit}\n`);
    chmodSync(program, 0o755);
    return {
      env: { PATH: `${folder}:${process.env["PATH"]}` },
      given: () => readFileSync(join(folder, "given"), "utf8"),
    };
  }

  it("open passes a mailto URL as one argument, and describes the mailbox", async () => {
    const { env, given } = handler();
    const text = "mailto:a%27b@h?subject=x%20%24(touch%20y)&attach=/etc/passwd";
    expect(await runBuiltCommand(["open", text], { env })).toEqual({
      exitCode: 0,
      signal: null,
      stdout: "",
      stderr: "mailbox of a'b@h\nsubject: x $(touch y)\nattach: /etc/passwd\nremoved headers: attach\n",
    });
    expect(given()).toBe("1\nmailto:a%27b@h?subject=x%20%24%28touch%20y%29\n");
  });

  it("open passes the mailto URL of an operand after --", async () => {
    const { env, given } = handler();
    expect(await runBuiltCommand(["open", "--", "mailto:--x@h"], { env })).toMatchObject({ exitCode: 0 });
    expect(given()).toBe("1\nmailto:--x@h\n");
  });

  it.each([
    ["mailto:a@h?subject=x%0D%0ABcc:y@z", 3],
    ["mailto:nobody", 3],
    ["mailto:", 3],
    ["mailto:a b@h", 3],
  ])("open starts no mail program for %j", async (text, exit) => {
    const { env, given } = handler();
    expect(await runBuiltCommand(["open", text], { env })).toMatchObject({ exitCode: exit, stdout: "" });
    expect(given).toThrow("ENOENT");
  });

  it("open escapes control characters of a mailto URL", async () => {
    const { env } = handler();
    const { stderr } = await runBuiltCommand(["open", "mailto:a@h?subject=%C2%9B2J%E2%80%AEx"], { env });
    expect(stderr).toContain("subject: \\x9b2J\\u{202e}x\n");
  });

  it("open fails when the mail program fails or does not exist", async () => {
    const { env } = handler(3);
    expect(await runBuiltCommand(["open", "mailto:a@h"], { env })).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(
        "the mail program failed: xdg-open ended with exit code 3: mailto:a@h",
      ) as string,
    });
    expect(await runBuiltCommand(["open", "mailto:a@h"], { env: { PATH: "/nowhere" } })).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("xdg-open cannot be run") as string,
    });
  });

  it("xdg-open rejects the argument --, which the command open does not pass to it", ({ skip }) => {
    const { status, error } = spawnSync("xdg-open", ["--version"]);
    skip(error !== undefined, "there is no xdg-open");
    expect(status).toBe(0);
    // xdg-open rejects "--", so the arguments do not contain it.
    expect(spawnSync("xdg-open", ["--", "mailto:a@h"]).status).toBe(1);
  });
});
