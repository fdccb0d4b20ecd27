import { describe, expect, it } from "vitest";
import { formatHelp } from "../../src/args/help.ts";
import { parseAllowedPortsByScheme } from "../../src/args/parse-option-values.ts";
import { COMMAND_HELP_ENTRIES } from "../../src/args/command-definitions.ts";
import { OPTION_DEFINITIONS } from "../../src/args/options.ts";
import { runCommandInProcess } from "../command-in-process.ts";

describe("the command line", () => {
  const mistakes: [args: string[], reported: string][] = [
    [[], "no command"],
    [["gte", "ftp://h/"], "unknown command gte; did you mean get?"],
    [["ftp://joe:secret@h/"], "the command is missing before the URL; try: anyscheme get URL"],
    [["get"], "get needs a URL"],
    [["ls", "ftp://a/", "ftp://b/"], "ls takes one URL"],
    [["schemes", "x"], "schemes takes no operands"],
    [["ls", "-o", "f", "ftp://h/"], "ls has no option --output"],
    [["parse", "-v", "ftp://h/"], "parse has no option --verbose"],
    [["completion"], "completion needs one of bash, zsh, fish"],
    [["completion", "bash", "zsh"], "completion takes one of bash, zsh, fish"],
    [["ls", "ftp://h/", "ftp://i/"], "ls takes one URL"],
    ...["ls", "form", "open", "parse", "plan"].map((name): [string[], string] => [
      [name],
      `${name} needs a URL`,
    ]),
    [["get", "--frobnicate", "ftp://h/"], "unknown option '--frobnicate'"],
    [["get", "ftp://h/", "-o"], "--output needs a value: --output FILE"],
    [["get", "--no-json", "ftp://h/"], "unknown option --no-json"],
    [["get", "-o", "f", "ftp://a/x", "ftp://b/x"], "--output takes one URL; use --remote-name for several"],
    [["get", "-O", "-o", "f", "ftp://a/x"], "--output and --remote-name exclude each other"],
    [
      ["get", "--allow-port", "7070", "gopher://h/"],
      "--allow-port needs a scheme and a port from 1 to 65535, as in gopher:7070",
    ],
    [
      ["get", "--allow-port", "gopher:0", "gopher://h/"],
      "--allow-port needs a scheme and a port from 1 to 65535, as in gopher:7070",
    ],
    [
      ["get", "--allow-port", "gopher:65536", "gopher://h/"],
      "--allow-port needs a scheme and a port from 1 to 65535, as in gopher:7070",
    ],
    [
      ["get", "--max-time", "soon", "ftp://h/"],
      "--max-time needs a number of seconds above 0 and up to 2147483, or none",
    ],
    [
      ["get", "--max-time", "0", "ftp://h/"],
      "--max-time needs a number of seconds above 0 and up to 2147483, or none",
    ],
    [["get", "--retry", "2000", "ftp://h/"], "--retry needs a number of retries from 0 to 999"],
    [["get", "--retry", "soon", "ftp://h/"], "--retry needs a number of retries from 0 to 999"],
    [["get", "-X", "POST", "ftp://h/"], "--request and --data need an http or https URL, and not ftp"],
    [["plan", "-d", "x", "gopher://h/"], "--request and --data need an http or https URL, and not gopher"],
    [
      ["get", "-X", "TRACE", "http://h/"],
      "--request needs an HTTP method other than CONNECT, TRACE and TRACK",
    ],
    [["get", "-H", "secret", "http://h/"], '--header needs a name and a value, as in "accept: text/html"'],
    [
      ["get", "-d", "@/nothing/here", "http://h/"],
      "the file of --data cannot be read: ENOENT: no such file or directory: /nothing/here",
    ],
    [
      ["get", "-r", "-d", "x", "http://h/"],
      "--recursive downloads files, and cannot be used with --request or --data",
    ],
    [
      ["get", "--connect-timeout", "99999999", "ftp://h/"],
      "--connect-timeout needs a number of seconds above 0 and up to 2147483, or none",
    ],
    [
      ["get", "--cache", "d", "--gopher-ttl", "x", "gopher://h/"],
      "--gopher-ttl needs a number of seconds up to 2147483",
    ],
    [
      ["open", "--close-after", "9999999", "telnet://h/"],
      "--close-after needs a number of seconds up to 2147483; 0 closes at once",
    ],
    [["plan", "--type", "x", "ftp://h/"], "--type needs one of a, i and d"],
    [["lint", "--strict", "f"], "lint has no option --strict"],
    [["get", "--wrapped-only", "ftp://h/"], "get has no option --wrapped-only"],
    [["--help", "nothing"], "no help for nothing"],
  ];
  it.each(mistakes)("the invalid command line %j exits with 2", async (args, message) => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(args);
    expect({ exitCode, stdout, message: stderr.split("\n")[0] }).toEqual({
      exitCode: 2,
      stdout: "",
      message: `anyscheme: ${message}`,
    });
    expect(stderr).toMatch(/\nsee: anyscheme --help.*\n$/);
    expect(stderr).not.toContain("secret");
  });

  it.each([
    ["gopher:1", { gopher: [1] }],
    ["Gopher:65535", { gopher: [65535] }],
    ["constructor:80", { constructor: [80] }],
  ])("--allow-port accepts %s", (text, ports) => {
    expect(parseAllowedPortsByScheme({ "allow-port": [text] })).toEqual(ports);
  });

  it("--version prints the version", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["--version"]);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^anyscheme \d+\.\d+\.\d+\n$/),
      stderr: "",
    });
  });

  it.each([
    ["get", 40],
    ["get", 44],
    ["exit", 80],
    [undefined, 60],
  ])(
    "the help of %s fits into a terminal of %s columns, and has every word of the wide help",
    (topic, columns) => {
      const text = formatHelp(topic, columns);
      const words = (help: string): string[] => help.split(/\s+/).toSorted();
      expect(words(text)).toEqual(words(formatHelp(topic, 500)));
      // Only an option with its value, or a single long word, may be wider than the terminal.
      expect(text.split("\n").filter((line) => line.length > columns && !/^ +-|^ *\S+$/.test(line))).toEqual(
        [],
      );
    },
  );

  it("--help lists every command and every option within 80 columns", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["--help"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const { name } of COMMAND_HELP_ENTRIES) expect(stdout).toContain(`\n  ${name}`);
    for (const { name } of OPTION_DEFINITIONS) expect(stdout).toMatch(new RegExp(`--(\\[no-\\])?${name}\\b`));
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each(COMMAND_HELP_ENTRIES.map((row) => [row.name, row] as const))(
    "--help %s lists the options of that command",
    async (name, { summary }) => {
      const [{ stdout }, same] = [
        await runCommandInProcess([name, "--help"]),
        await runCommandInProcess(["help", name]),
      ];
      expect(stdout).toBe(same.stdout);
      expect(stdout.replace(/\s+/g, " ").toLowerCase()).toContain(summary.toLowerCase());
      for (const option of OPTION_DEFINITIONS) {
        expect(new RegExp(`--(\\[no-\\])?${option.name}\\b`).test(stdout)).toBe(
          !option.commands || option.commands.includes(name),
        );
      }
    },
  );

  it("--help exit lists the exit codes", async () => {
    const { stdout } = await runCommandInProcess(["--help", "exit"]);
    expect(stdout).toMatch(/\n {2}78 +no such file, directory or article\n/);
  });

  it("the command schemes lists the URL schemes", async () => {
    const { stdout } = await runCommandInProcess(["schemes"]);
    expect(stdout.split("\n").map((line) => line.split(/ +/).slice(0, 2).join(" "))).toEqual([
      "ftp 21",
      "http 80",
      "https 443",
      "gopher 70",
      expect.stringMatching(/^gophers \d+$/),
      "file -",
      "mailto -",
      expect.stringMatching(/^news /),
      "snews 563",
      "nntp 119",
      "nntps 563",
      "telnet 23",
      "wais 210",
      "prospero 1525",
      "",
    ]);
  });
});
