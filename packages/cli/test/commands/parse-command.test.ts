import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";

describe("parse", () => {
  const rows: [url: string, lines: string[]][] = [
    [
      "ftp://joe:p%40ss@host.example:2121/pub/%2Fetc//a%20b;type=a",
      [
        "scheme ftp",
        "user joe",
        "password ****",
        "host host.example",
        "port 2121",
        "cwd[0] pub",
        "cwd[1] %2Fetc = /etc",
        "cwd[2] (empty)",
        "name a%20b = a b",
        "type a",
      ],
    ],
    [
      "ftp://joe:@h/",
      ["scheme ftp", "user joe", "password (empty)", "host h", "name (empty)", "port 21 (default)"],
    ],
    ["http://h/a?b", ["scheme http", "host h", "path a", "search b", "port 80 (default)"]],
    ["file:///a/b", ["scheme file", "host (empty)", "segments[0] a", "segments[1] b"]],
    ["mailto:joe@host.example", ["scheme mailto", "address joe@host.example"]],
    ["x-any:thing", ["scheme x-any", "schemePart thing"]],
    ["ftp://h/%1B[2J", expect.arrayContaining(["name %1B[2J = \\x1b[2J"]) as string[]],
  ];
  it.each(rows)("parse prints the components of %s", async (url, lines) => {
    const { exitCode, stdout } = await runCommandInProcess(["parse", url]);
    const [components = ""] = stdout.split("\n\n");
    expect(exitCode).toBe(0);
    expect(
      components
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/ +/g, " "))
        .filter((line) => !line.startsWith("conforms")),
    ).toEqual(lines);
  });

  it("parse prints the deviations of a URL from RFC 1738, and the conforming URL", async () => {
    const { exitCode, stdout } = await runCommandInProcess(["parse", "ftp://joe:pw@h/a~b#c"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("\nconforms as  ftp://joe:****@h/a%7Eb\n");
    expect(stdout).toContain(
      '\nunsafe: the character is unsafe and has to be encoded (RFC 1738 §2.2)\n  ftp://joe:**@h/a~b#c\n                  ^\nwrite "%7E"\n',
    );
  });

  it.each([
    ["FTP://Joe:p%61w@H/%7e", "ftp://Joe:****@h/%7E"],
    ["gopher://h:70", "gopher://h/1"],
    ["http://h/~a", "http://h/~a"],
    ["http://h/", undefined],
  ])(
    "parse prints the normal form of %s only when it differs from the conforming URL",
    async (url, normal) => {
      const { stdout } = await runCommandInProcess(["parse", url]);
      expect(/^normal form  (.*)$/m.exec(stdout)?.[1]).toBe(normal);
      expect(JSON.parse((await runCommandInProcess(["parse", "--json", url])).stdout)).toMatchObject(
        normal === undefined ? {} : { normal },
      );
      expect(stdout).not.toMatch(/paw|p%61w/);
    },
  );

  const faults: [url: string, lines: string[]][] = [
    [
      "ftp://h/a\\b",
      [
        "backslash: a backslash is read in two ways and has to be encoded (RFC 1738 §2.2)",
        "  ftp://h/a\\b",
        "           ^",
        'write "%5C"',
      ],
    ],
    [
      "ftp://joe:sec/ret@h/",
      [
        "bad-port: a port is a decimal number (RFC 1738 §3.1)",
        "  ftp://joe:*******@h/",
        "            ^",
        "write decimal digits only",
      ],
    ],
    [
      "http://1.2.3/",
      [
        "bad-host-number: an address has exactly four decimal numbers from 0 to 255 without leading zeros (RFC 1738 §3.1)",
        "  http://1.2.3/",
        "         ^~~~~",
        "write the address as four decimal numbers",
      ],
    ],
    [
      "ftp://h/a\r\nDELE b",
      [
        "control: a control character has to be encoded (RFC 1738 §2.2)",
        "  ftp://h/a␍␊DELE b",
        "           ^",
        'write "%0D"',
      ],
    ],
    [
      "/hello",
      [
        "missing-scheme: a URL begins with a scheme name and a colon (RFC 1738 §2.1)",
        "  /hello",
        "  ^",
        'begin with a scheme, as in "ftp://"',
      ],
    ],
  ];
  it.each(faults)("parse prints the fault of %j with a mark below it", async (url, lines) => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["parse", url]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
    expect(stderr).toBe(`anyscheme: ${lines.join("\n")}\n`);
  });

  it("parse --strict rejects deviations from RFC 1738", async () => {
    expect((await runCommandInProcess(["parse", "--strict", "ftp://h/a~b"])).exitCode).toBe(3);
  });

  it("parse --json writes the components, with the password masked", async () => {
    const { stdout } = await runCommandInProcess(["parse", "--json", "ftp://joe:Needle@h/a%20b~"]);
    expect(JSON.parse(stdout)).toEqual({
      url: "ftp://joe:****@h/a%20b~",
      components: { scheme: "ftp", user: "joe", password: "****", host: "h", cwd: [], name: "a%20b~" },
      effectivePort: 21,
      decoded: { name: "a b~" },
      conforming: "ftp://joe:****@h/a%20b%7E",
      normal: "ftp://joe:****@h/a%20b%7E",
      parserDifferences: [],
      deviations: [
        expect.objectContaining({
          code: "unsafe",
          index: 24,
          length: 1,
          section: "2.2",
          suggestion: 'write "%7E"',
        }),
      ],
    });
    const fault = await runCommandInProcess(["parse", "--json", "ftp://joe:Needle@h/\\"]);
    expect(fault.exitCode).toBe(3);
    expect(JSON.parse(fault.stdout)).toEqual({
      fault: expect.objectContaining({ code: "backslash", index: 19, length: 1 }),
    });
    expect(stdout + fault.stdout + fault.stderr).not.toContain("Needle");
  });
});
