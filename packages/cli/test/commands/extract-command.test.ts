import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { RFC1738_APPENDIX_URLS, RFC1738_BIBLIOGRAPHY_URLS } from "../../../core/test/extract/rfc1738-urls.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const fixtureFolder = new URL("../../../core/test/fixtures/", import.meta.url);
const appendixFile = fileURLToPath(new URL("rfc1738-appendix.txt", fixtureFolder));
const referencesFile = fileURLToPath(new URL("rfc1738-references.txt", fixtureFolder));

const joinLines = (urls: readonly string[]): string => urls.map((url) => `${url}\n`).join("");

describe("extract", () => {
  it("extract prints the URLs in the Appendix and the References of RFC 1738, file after file", async () => {
    for (const options of [[], ["--wrapped-only"], ["--strict"]]) {
      const { exitCode, stdout, stderr } = await runCommandInProcess([
        "extract",
        ...options,
        appendixFile,
        referencesFile,
      ]);
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 0,
        stdout: joinLines([...RFC1738_APPENDIX_URLS, ...RFC1738_BIBLIOGRAPHY_URLS]),
        stderr: "",
      });
    }
  });

  const rows: [name: string, text: string | Uint8Array, urls: string[], options?: string[]][] = [
    ["a URL as written", "see http://h/~a%7e, and", ["http://h/~a%7e"]],
    ["a URL with its password", "ftp://joe:secret@h/", ["ftp://joe:secret@h/"]],
    [
      "a URL with a hyphen at a line end, in both readings",
      "<URL:ftp://a-\n b/>",
      ["ftp://a-b/", "ftp://ab/"],
    ],
    [
      "only URLs in <URL:…> with --wrapped-only",
      "http://a/ <URL:http://b/>",
      ["http://b/"],
      ["--wrapped-only"],
    ],
    ["only conforming URLs with --strict", "http://a/~ http://b/", ["http://b/"], ["--strict"]],
    ["a wrapped URL with an unknown scheme", "afs://a/b <URL:afs://c/d>", ["afs://c/d"]],
    ["a URL with a fragment", "(http://a/#b)", ["http://a/#b"]],
    ["a URL with UTF-8 characters", "http://a/é", ["http://a/é"]],
    ["a URL between Latin-1 bytes", Buffer.from("\xe9http://a/ \xe9", "latin1"), ["http://a/"]],
    [
      "a URL between arbitrary bytes",
      Buffer.from([0, 0xff, 0x20, ...Buffer.from("ftp://a/"), 0]),
      ["ftp://a/"],
    ],
    ["a URL in UTF-16", Buffer.from("\ufeffa → http://a/é\n", "utf16le"), ["http://a/é"]],
    ["a URL in UTF-16, big-endian", Buffer.from("\ufeffftp://a/\n", "utf16le").swap16(), ["ftp://a/"]],
    [
      "a URL of every scheme of RFC 1738, and of the schemes with TLS",
      "ftp://h/ http://h/ gopher://h/ mailto:a@b news:a.b nntp://h/a telnet://h/ wais://h/a file:///a prospero://h/a https://h/ gophers://h/",
      [
        "ftp://h/",
        "http://h/",
        "gopher://h/",
        "mailto:a@b",
        "news:a.b",
        "nntp://h/a",
        "telnet://h/",
        "wais://h/a",
        "file:///a",
        "prospero://h/a",
        "https://h/",
        "gophers://h/",
      ],
    ],
  ];
  it.each(rows)("extract prints the expected URLs for %s", async (_, text, urls, options = []) => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["extract", ...options], {
      input: [text],
    });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: joinLines(urls), stderr: "" });
  });

  it.each([
    ["an empty text", ""],
    ["a text without a URL", "the prefixes http:// and <URL:> without a URL"],
  ])("extract exits with 1 for %s", async (_, text) => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["extract"], { input: [text] });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: "", stderr: "" });
  });

  it("extract --json describes each URL in a line of JSON", async () => {
    const input = ["é a\r\n <URL: ftp://joe:pw@h-\r\n  x/~#f>, http://h/~.\n"];
    const { stdout } = await runCommandInProcess(["extract", "--json"], { input });
    const here = { file: "-", line: 2, column: 8, index: 13, length: 24, wrapped: true, fragment: "f" };
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { ...here, url: "ftp://joe:pw@h-x/%7E", text: "ftp://joe:pw@h-x/~#f", alternative: false },
      { ...here, url: "ftp://joe:pw@hx/%7E", text: "ftp://joe:pw@hx/~#f", alternative: true },
      {
        file: "-",
        line: 3,
        column: 11,
        url: "http://h/%7E",
        text: "http://h/~",
        index: 40,
        length: 10,
        wrapped: false,
        alternative: false,
      },
    ]);
  });

  it("extract --json reports the position of every URL in the References of RFC 1738", async () => {
    const bytes = readFileSync(referencesFile);
    const { stdout } = await runCommandInProcess(["extract", "--json", referencesFile]);
    const places = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<"text" | "file", string> & Record<string, number>);
    expect(places).toHaveLength(RFC1738_BIBLIOGRAPHY_URLS.length);
    for (const { text, file, index = 0, length = 0, line = 0, column = 0 } of places) {
      expect(file).toBe(referencesFile);
      expect(
        bytes
          .subarray(index, index + length)
          .toString()
          .replace(/\s/g, ""),
      ).toBe(text);
      const textLine = bytes.toString().split("\n")[line - 1] ?? "";
      expect(textLine.slice(column - 1)).toMatch(/^ftp:/);
    }
  });

  it("extract prints the same URLs for any division of the text into chunks", async () => {
    const text = readFileSync(referencesFile);
    const args = ["extract", "--json"];
    const { stdout } = await runCommandInProcess(args, { input: [text] });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length)), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const input = places.slice(1).map((end, index) => text.subarray(places[index], end));
        expect((await runCommandInProcess(args, { input })).stdout).toBe(stdout);
      }),
      { numRuns: 30 },
    );
  });

  it("extract prints the URLs of a chunk before it reads the next chunk", async () => {
    const seen: string[] = [];
    const input = (function* () {
      yield "http://a/ ";
      seen.push("next");
      yield "http://b/ ";
      seen.push("end");
    })();
    const { stdout } = await runCommandInProcess(["extract"], {
      input,
      onStdoutWrite: (text) => seen.push(text),
    });
    expect(seen).toEqual(["http://a/\n", "next", "http://b/\n", "end"]);
    expect(stdout).toBe("http://a/\nhttp://b/\n");
  });

  it("extract escapes bidirectional control characters on a terminal", async () => {
    const input = ["<URL:http://h/\u202egpj.exe>"];
    expect((await runCommandInProcess(["extract"], { input })).stdout).toBe("http://h/\u202egpj.exe\n");
    expect((await runCommandInProcess(["extract"], { input, terminal: true })).stdout).toBe(
      "http://h/\\u{202e}gpj.exe\n",
    );
  });

  it("extract continues after an unreadable file, and exits with the code for that file", async () => {
    const folder = createTemporaryFolder();
    const file = join(folder, "f");
    writeFileSync(file, "http://h/");
    const { exitCode, stdout, stderr } = await runCommandInProcess(
      ["extract", join(folder, "none"), folder, file, "-"],
      {
        input: ["ftp://h/"],
      },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 37, stdout: "http://h/\nftp://h/\n" });
    expect(stderr).toBe(
      `anyscheme: cannot read ${join(folder, "none")}: ENOENT: no such file or directory\n` +
        `anyscheme: cannot read ${folder}: EISDIR: illegal operation on a directory\n`,
    );
  });

  it("extract masks the password of a URL that is given as a file name", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["extract", "ftp://joe:secret@h/f"]);
    expect(exitCode).toBe(37);
    expect(stderr).toContain("ftp://joe:******@h/f");
  });
});
