import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTROL_CHARACTERS } from "@anyscheme/core/text";
import { startFtpTestServer, startGopherTestServer } from "@anyscheme/servers";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatJsonLine } from "../../src/output/json-line.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

/** The text contains C0, DEL, C1, line separators, bidirectional marks, and a lone surrogate. */
const CONTROL_TEXT =
  "\u0007\u001b[2J\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029\u202e\u2066\u2069\ufeff\ud800";

const CONTROL_CHARACTER = new RegExp(CONTROL_CHARACTERS.source, "u");

describe("formatJsonLine", () => {
  it("formatJsonLine escapes all control characters, and JSON.parse returns the same text", () => {
    const isEscaped = (code: number): boolean => {
      const text = `a${String.fromCharCode(code)}b`;
      const line = formatJsonLine({ [text]: text });
      const parsed = JSON.parse(line) as Record<string, string>;
      return Object.keys(parsed).join() === text && parsed[text] === text && !CONTROL_CHARACTER.test(line);
    };
    const failed = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => !isEscaped(code));
    expect(failed).toEqual([]);
  });

  it("JSON.parse returns the same value for the output of formatJsonLine and of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(formatJsonLine(value)).toBe(formatJsonLine(JSON.parse(JSON.stringify(value))));
        expect(JSON.parse(formatJsonLine(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("formatJsonLine escapes a control character as \\u and four digits", () => {
    expect(formatJsonLine("\u0085\u202e")).toBe('"\\u0085\\u202e"');
    expect(formatJsonLine({ bytes: 1 }, (key, value) => (key === "bytes" ? undefined : value))).toBe("{}");
  });
});

describe("the option --json escapes control characters of servers and files", () => {
  let ftp: Awaited<ReturnType<typeof startFtpTestServer>>;
  let gopher: Awaited<ReturnType<typeof startGopherTestServer>>;
  beforeAll(async () => {
    const name = "x\u0085\u009b31m\u202e\u2028";
    [ftp, gopher] = await Promise.all([
      startFtpTestServer({ files: { [`pub/${name}`]: "x" } }),
      startGopherTestServer({ files: { [`pub/${name}`]: "x" } }),
    ]);
  });
  afterAll(() => Promise.all([ftp.stop(), gopher.stop()]));

  it.each<[name: string, args: (folder: string) => string[], exit: number]>([
    ["ls", () => ["ls", `ftp://127.0.0.1:${ftp.port}/pub/`], 0],
    [
      "ls of a menu",
      () => ["ls", "--allow-port", `gopher:${gopher.port}`, `gopher://127.0.0.1:${gopher.port}/1/pub`],
      0,
    ],
    ["get", (folder) => ["get", "-o", join(folder, `\u202e\u0085`), `ftp://127.0.0.1:${ftp.port}/pub/`], 0],
    [
      "get -r",
      (folder) => ["get", "-r", "-o", join(folder, `\u202e\u0085`), `ftp://127.0.0.1:${ftp.port}/pub/`],
      0,
    ],
    ["parse", () => ["parse", `ftp://h/a%C2%85%E2%80%AE%7F`], 0],
    ["parse of a text that is not a URL", () => ["parse", `ftp://h\u202e\u0085 /`], 3],
    ["plan", () => ["plan", "ftp://h/a%C2%85%E2%80%AE"], 0],
    ["extract", () => ["extract", "HOSTILE"], 0],
    ["lint", () => ["lint", "HOSTILE"], 1],
  ])("--json escapes control characters in the output of %s", async (_, args, exit) => {
    const folder = createTemporaryFolder();
    writeFileSync(
      join(folder, `in${CONTROL_TEXT.replace(/[\0/]/g, "")}`),
      `<URL:http://h/${CONTROL_TEXT}x> http://h.example/\u202e\u0085`,
    );
    const words = args(folder).map((word) => (word === "HOSTILE" ? join(folder, `in${CONTROL_TEXT}`) : word));
    const { exitCode, stdout } = await runCommandInProcess([...words, "--json"]);
    expect([exitCode, stdout === ""]).toEqual([exit, false]);
    for (const line of stdout.trimEnd().split("\n")) {
      expect(line).not.toMatch(CONTROL_CHARACTER);
      JSON.parse(line);
    }
  });
});
