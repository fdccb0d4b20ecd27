import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const fixtureFolder = new URL("../../../core/test/fixtures/", import.meta.url);
const rfcTextFiles = ["rfc1738-appendix.txt", "rfc1738-references.txt"].map((name) =>
  fileURLToPath(new URL(name, fixtureFolder)),
);

const hyphenProblem =
  "hyphen: the hyphen at the line end may or may not be part of the URL (RFC 1738 Appendix); break the line at a character other than a hyphen";
const questionMarkProblem =
  "login-question-mark: other parsers end the host at a '?' in a login (RFC 1738 §3.1); write \"%3F\"";
const tildeProblem =
  'unsafe: the character is unsafe and has to be encoded (RFC 1738 §2.2; RFC 3986 §2.3 allows it); write "%7E"';

describe("lint", () => {
  it.each(rfcTextFiles)("lint finds no problem in the repository's file %s", async (file) => {
    const quoted = readFileSync(file, "utf8").replace(/^/gm, "> ");
    expect(await runCommandInProcess(["lint", file])).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    expect(await runCommandInProcess(["lint"], { input: [quoted] })).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
  });

  const rows: [name: string, text: string | Uint8Array, lines: string[], options?: string[]][] = [
    ["a deviation", "see http://h/~joe.", [`1:14: ${tildeProblem}`]],
    [
      "several deviations, in the order of the text",
      "a\nhttp://h/~\nftp://h/b~c~",
      [`2:10: ${tildeProblem}`, `3:10: ${tildeProblem}`, `3:12: ${tildeProblem}`],
    ],
    [
      "a deviation after multi-byte characters",
      "é→😀 http://h/é~",
      [
        '1:14: non-ascii: only US-ASCII may be written, other bytes have to be encoded (RFC 1738 §2.2; RFC 3987 §2.2 allows it); write "%C3%A9"',
        `1:15: ${tildeProblem}`,
      ],
    ],
    [
      "a deviation beside bytes of Latin-1",
      Buffer.from("\xe9\xe9 http://h/~", "latin1"),
      [`1:13: ${tildeProblem}`],
    ],
    ["a deviation in UTF-16", Buffer.from("\ufeffé\n→ http://h/~", "utf16le"), [`2:12: ${tildeProblem}`]],
    [
      "a deviation in the second line of a wrapped URL",
      "<URL:http://h/a\r\n    b~c>",
      [`2:6: ${tildeProblem}`],
    ],
    [
      "a deviation in the third line of a quoted text",
      "> <URL:http://h/a\n> b\n>  ~c>",
      [`3:4: ${tildeProblem}`],
    ],
    [
      "a deviation after a hyphen at a line end",
      "<URL:http://h/a-\n b~c>",
      [`1:16: ${hyphenProblem}`, `2:3: ${tildeProblem}`],
    ],
    [
      "several hyphens at line ends, each reported once",
      "<URL:ftp://h/a-\nb-\nc-d>",
      [`1:15: ${hyphenProblem}`, `2:2: ${hyphenProblem}`],
    ],
    [
      "a login that other parsers read as a host",
      "ftp://joe?:p@h/ ftp://joe:p?@h/",
      [`1:10: ${questionMarkProblem}`, `1:28: ${questionMarkProblem}`],
    ],
    [
      "an invalid mail address",
      "mailto:a%20é@h <URL:mailto:a@\nb.> mailto:a.b@h",
      [
        "1:9: no-addr-spec: not a mail address by RFC 822: the local part must be followed by '@' (RFC 1738 §3.5); write a mail address, as in user@host.example",
        expect.stringMatching(/^1:12: non-ascii: /) as string,
        expect.stringMatching(
          /^2:3: no-addr-spec: .*: a part of the domain is missing or invalid /,
        ) as string,
      ],
    ],
    [
      "a deviation after a hyphen that lint removes at a line end",
      "<URL:http://h:8-\n0/~>",
      [`2:3: ${tildeProblem}`],
    ],
    ["a deviation before the fragment of a wrapped URL", "<URL:http://h/~#a>", [`1:15: ${tildeProblem}`]],
    [
      "an invalid URL",
      "http:///x",
      ["1:8: empty-host: the host is missing (RFC 1738 §3.1); write the name of a host"],
    ],
    [
      "an invalid URL whose fault is in the second line",
      "<URL:ftp://h/\n  a%zz>",
      [
        `2:4: bad-escape: '%' has to be followed by two hexadecimal digits (RFC 1738 §2.2; no RFC allows it); write "%25"`,
      ],
    ],
    [
      "a URL with a missing component",
      "<URL:wais://h\n>",
      [
        `1:14: missing-slash: a '/' has to follow the host (RFC 1738 §5; no RFC allows it); write "/" after the host`,
      ],
    ],
    [
      "bytes that are not UTF-8",
      Buffer.from("<URL:http://h/\n\xe9>", "latin1"),
      [expect.stringMatching(/^2:1: non-ascii: /) as string],
    ],
    [
      'a URL with the prefix "URL:" twice',
      "<URL:URL:http://h/>",
      [expect.stringMatching(/^1:6: wrapper-prefix: .* \(RFC 1738 Appendix\); /) as string],
    ],
    [
      "only wrapped URLs with --wrapped-only",
      "http://a/~ <URL:http://b/~>",
      [`1:26: ${tildeProblem}`],
      ["--wrapped-only"],
    ],
  ];
  it.each(rows)("lint reports the expected problems for %s", async (_, text, lines, options = []) => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["lint", ...options], { input: [text] });
    expect(stdout.replace(/^-:/gm, "").trimEnd().split("\n")).toEqual(lines);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  });

  it("lint prints file names as given, with control characters escaped", async () => {
    const file = join(createTemporaryFolder(), "a\x1b[2J");
    writeFileSync(file, "http://h/~");
    const { stdout } = await runCommandInProcess(["lint", file, "-"], { input: ["http://h/~"] });
    expect(stdout).toBe(`${file.replace("\x1b", "\\x1b")}:1:10: ${tildeProblem}\n-:1:10: ${tildeProblem}\n`);
  });

  it("lint --json describes each problem, with the password masked", async () => {
    const input = ["é <URL:ftp://joe:Needle@h/a\n ~> ftp://joe:Needle@/"];
    const { exitCode, stdout } = await runCommandInProcess(["lint", "--json"], { input });
    expect(exitCode).toBe(1);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        file: "-",
        line: 2,
        column: 2,
        index: 30,
        length: 1,
        kind: "deviation",
        code: "unsafe",
        section: "2.2",
        message: "the character is unsafe and has to be encoded",
        allowedByRfc: "RFC 3986 §2.3",
        suggestion: 'write "%7E"',
        text: "ftp://joe:******@h/a~",
      },
      expect.objectContaining({ kind: "fault", code: "empty-host", text: "ftp://joe:******@/" }),
    ]);
    expect(stdout).not.toContain("Needle");
  });

  it("lint reports the same positions for chunks of any size, also in a long text", async () => {
    const before = "many words, and é\n".repeat(3000);
    const long = "a".repeat(70).concat("\n  ").repeat(50);
    const text = Buffer.from(`${before}<URL:http://h/~${long}~\n> x ftp://h/~`);
    const { stdout } = await runCommandInProcess(["lint"], { input: [text] });
    expect(stdout).toBe(
      [`-:3001:15: ${tildeProblem}`, `-:3051:3: ${tildeProblem}`, `-:3052:13: ${tildeProblem}`, ""].join(
        "\n",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 7, max: 70_000 }), async (size) => {
        const input = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
          text.subarray(index * size, (index + 1) * size),
        );
        expect((await runCommandInProcess(["lint"], { input })).stdout).toBe(stdout);
      }),
      { numRuns: 20, examples: [[1], [100], [4096], [65_536]] },
    );
  });

  it("lint exits with 0 for a text without problems, and with 37 for an unreadable file", async () => {
    expect(await runCommandInProcess(["lint"], { input: ["ftp://h/"] })).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    const { exitCode, stderr } = await runCommandInProcess(["lint", join(createTemporaryFolder(), "none")]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 37,
      stderr: expect.stringMatching(/^anyscheme: cannot read .*ENOENT/),
    });
  });
});
