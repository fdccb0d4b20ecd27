import { type AccessError, DEFAULT_CORE_LIMITS, type CoreLimits } from "@anyscheme/core";
import { mergeLimits, type ByteSource } from "@anyscheme/core/plugin";
import { ftpSyntax } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";
import { parseFtpListing } from "../../src/listing/listing.ts";
import type { FtpEntry } from "../../src/listing/entry.ts";

function createTextSource(text: string, chunk = text.length): ByteSource {
  let rest = Buffer.from(text, "latin1");
  return {
    async readChunks(take) {
      while (rest.length > 0) {
        const bytes = rest.subarray(0, chunk);
        rest = rest.subarray(chunk);
        if (!take(bytes)) return "more";
      }
      return "end";
    },
    cancel: () => undefined,
  };
}

async function parseListingText(
  command: string,
  url: string,
  text: string,
  limits: CoreLimits = DEFAULT_CORE_LIMITS,
  chunk?: number,
): Promise<FtpEntry[]> {
  const entries: FtpEntry[] = [];
  for await (const entry of parseFtpListing(
    createTextSource(text, chunk),
    command,
    ftpSyntax.parse(url),
    limits,
  ))
    entries.push(entry);
  return entries;
}

const summarizeEntry = ({ name, kind, size, url }: FtpEntry): unknown[] => [name, kind, size, url?.href];

const UNIX_LISTING = [
  "total 16",
  "drwxr-xr-x    2 0        0            4096 Nov 20 21:09 .",
  "drwxr-xr-x    2 0        0            4096 Nov 20 21:09 ..",
  "drwxr-xr-x    2 0        0            4096 Nov 20 21:09 my dir",
  "-rw-r--r--    1 0        0            1057 Nov 20  2024 a;b.txt",
  "lrwxrwxrwx    1 0        0               4 Nov 20 21:09 link -> /etc/motd",
  "-rw-r--r--    1 0        0               0 Nov 20 21:09 voil\xc3\xa0",
  "-rw-r--r--    1 0        0               3 Nov 20 21:09  \xe9\xa0\rx",
  "-rw-r--r--    1 0        0               3 Nov 20 21:09 ../../etc/passwd",
];

const DOS_LISTING = [
  "12-05-96  05:03PM       <DIR>          my dir",
  "11-14-97  04:21PM                  953 AUDITOR3.INI",
  "11-14-97  04:21PM                   11 \xa0x",
];

describe("parseFtpListing parses the output of LIST", () => {
  it.each([1, 7, 4096])(
    "parseFtpListing parses a Unix listing that arrives in chunks of %i bytes",
    async (chunk) => {
      const entries = await parseListingText(
        "LIST",
        "ftp://me:pw@h.dom:2121/pub/",
        `${UNIX_LISTING.join("\r\n")}\r\n`,
        DEFAULT_CORE_LIMITS,
        chunk,
      );
      expect(entries.map(summarizeEntry)).toEqual([
        ["my dir", "directory", undefined, "ftp://me:pw@h.dom:2121/pub/my%20dir/"],
        ["a;b.txt", "file", 1057, "ftp://me:pw@h.dom:2121/pub/a%3Bb.txt"],
        ["link", "link", undefined, "ftp://me:pw@h.dom:2121/pub/link"],
        ["voilà", "file", 0, "ftp://me:pw@h.dom:2121/pub/voil%C3%A0"],
        [" \ufffd\rx", "file", 3, "ftp://me:pw@h.dom:2121/pub/%20%E9%A0%0Dx"],
        ["../../etc/passwd", "file", 3, "ftp://me:pw@h.dom:2121/pub/..%2F..%2Fetc%2Fpasswd"],
      ]);
      expect(entries[4]?.rawName).toEqual(Uint8Array.of(0x20, 0xe9, 0xa0, 0x0d, 0x78));
      expect(String(entries[0]?.url)).not.toContain("pw");
    },
  );

  it("parseFtpListing parses a listing in the DOS format", async () => {
    const entries = await parseListingText("LIST", "ftp://h.dom", DOS_LISTING.join("\r\n"));
    expect(entries.map(summarizeEntry)).toEqual([
      ["my dir", "directory", undefined, "ftp://h.dom/my%20dir/"],
      ["AUDITOR3.INI", "file", 953, "ftp://h.dom/AUDITOR3.INI"],
      ["\ufffdx", "file", 11, "ftp://h.dom/%A0x"],
    ]);
  });

  it.each([
    ["a block device", "brw-rw----    1 0        6          8,   0 Nov 20 21:09 sda", "special"],
    ["a character device", "crw-rw-rw-    1 0        0          1,   3 Nov 20 21:09 null", "special"],
    ["a pipe", "prw-r--r--    1 0        0               0 Nov 20 21:09 pipe", "special"],
    [
      "a pipe with an SELinux context",
      "prw-r--r--.   1 0        0               0 Nov 20 21:09 pipe",
      "special",
    ],
    [
      "a directory with an SELinux context",
      "drwxr-xr-x.   2 0        0               6 Nov 20 21:09 dir",
      "directory",
    ],
    [
      "a file with attributes of macOS",
      "-rw-r--r--@   1 0        0             953 Nov 20 21:09 file",
      "file",
    ],
    ["a socket", "srwxrwxrwx    1 0        0               0 Nov 20 21:09 log", "special"],
    [
      "a file in a DOS listing whose name begins like the Unix mode of a device",
      "11-14-97  04:21PM   953 brw-x",
      "file",
    ],
  ])("parseFtpListing parses the kind of %s in a LIST line", async (_, line, kind) => {
    const [entry] = await parseListingText("LIST", "ftp://h.dom/dev/", `${line}\r\n${UNIX_LISTING[4]}\r\n`);
    expect(entry).toMatchObject({ kind, name: line.split(" ").at(-1) });
    expect(entry?.size).toBe(kind === "file" ? 953 : undefined);
  });
});

describe("parseFtpListing keeps a line that cannot be parsed as an entry with a fault", () => {
  const GOOD: Readonly<Record<string, string>> = {
    LIST: UNIX_LISTING[4] ?? "",
    MLSD: "type=file;size=1057; a;b.txt",
  };

  it.each([
    ["a line of another operating system", "LIST", "MOTD.TXT;1  2/4  20-NOV-1994 [0,0] (RWED)"],
    ["an error message", "LIST", "ls: cannot access 'x': Input/output error"],
    ['a text that begins with "total"', "LIST", "totally odd"],
    ["a text that begins with a number", "LIST", "12 files in 34 directories"],
    ["a text that begins with a blank", "LIST", "  and 3 more"],
    ["a line without a name", "LIST", "-rw-r--r--    1 0        0               3 Nov 20 21:09 "],
    [
      "a device with a hexadecimal number",
      "LIST",
      "crw-rw-rw-    1 0        0        0x6b Nov 20 21:09 null",
    ],
    ["a file of an unknown kind", "LIST", "Drw-r--r--    1 0        0               0 Nov 20 21:09 door"],
    ["a single word", "MLSD", "nothing"],
    ["facts without a name", "MLSD", "type=file;size=5; "],
  ])(
    "parseFtpListing returns an entry with a fault for %s in a %s listing (%j)",
    async (_, command, line) => {
      const good = GOOD[command] ?? "";
      const entries = await parseListingText(command, "ftp://h.dom/", `${good}\r\n${line}\r\n${good}\r\n`);
      expect(entries.map(({ name }) => name)).toEqual(["a;b.txt", line, "a;b.txt"]);
      const [, odd] = entries;
      expect(odd).toMatchObject({ kind: "unknown", url: undefined, fault: expect.any(String) as string });
      expect(Buffer.from(odd?.rawName ?? []).toString()).toBe(line);
    },
  );

  it.each([
    ["LIST", "MOTD.TXT;1  2/4  20-NOV-1994\r\nA.DIR;1  1/4  20-NOV-1994\r\n"],
    ["MLSD", "one\r\ntwo\r\n"],
  ])("parseFtpListing rejects a %s listing in which no line can be parsed (%j)", async (command, text) => {
    const names: string[] = [];
    const reading = async (): Promise<void> => {
      const url = ftpSyntax.parse("ftp://h.dom/");
      for await (const { name } of parseFtpListing(createTextSource(text), command, url, DEFAULT_CORE_LIMITS))
        names.push(name);
    };
    await expect(reading()).rejects.toMatchObject({
      code: "unsupported",
      advice: expect.stringContaining(";type=d") as string,
    });
    expect(names).toEqual(text.trimEnd().split("\r\n"));
  });

  it("parseFtpListing counts a line that cannot be parsed toward maxListingEntries", async () => {
    const limits = mergeLimits({ maxListingEntries: 2 });
    const text = `${UNIX_LISTING[4]}\r\nodd\r\nodd\r\n`;
    await expect(parseListingText("LIST", "ftp://h.dom/", text, limits)).rejects.toMatchObject({
      code: "limit",
      limit: "maxListingEntries",
    });
  });

  it.each(["", "total 16\r\n\r\n", "total 0"])(
    "parseFtpListing returns no entry for the empty LIST output %j",
    async (text) => {
      expect(await parseListingText("LIST", "ftp://h.dom/", text)).toEqual([]);
    },
  );
});

describe("parseFtpListing parses the output of NLST", () => {
  it.each<[string, string, [string, string][]]>([
    [
      "ftp://h.dom/pub/;type=d",
      "a\r\nb c\r\n.\r\n..\r\n\r\n",
      [
        ["a", "pub/a"],
        ["b c", "pub/b%20c"],
      ],
    ],
    ["ftp://h.dom/pub/dir;type=d", "dir/in.txt\r\ndir/.\r\ndir/..\r\n", [["in.txt", "pub/dir/in.txt"]]],
    ["ftp://h.dom/pub/dir;type=d", "in.txt\r\n", [["in.txt", "pub/dir/in.txt"]]],
    ["ftp://h.dom/pub/a.txt;type=d", "a.txt\r\n", [["a.txt", "pub/a.txt"]]],
    [
      "ftp://h.dom/*.txt;type=d",
      "a.txt\r\nb.txt\r\n",
      [
        ["a.txt", "a.txt"],
        ["b.txt", "b.txt"],
      ],
    ],
    ["ftp://h.dom/%2Fetc%2F;type=d", "/etc/motd\r\n", [["motd", "%2Fetc%2F/motd"]]],
    ["ftp://[::1]/;type=d", "a", [["a", "a"]]],
  ])("parseFtpListing returns the names and URLs of the NLST entries for %s", async (url, text, expected) => {
    const entries = await parseListingText("NLST", url, text);
    expect(entries.map((entry) => [entry.name, entry.url?.href.replace(/^ftp:\/\/[^/]*\//, "")])).toEqual(
      expected,
    );
    expect(entries.every(({ kind }) => kind === "unknown")).toBe(true);
  });
});

describe("parseFtpListing enforces the limits of listings", () => {
  const failing = (limits: Partial<CoreLimits>): Promise<AccessError> =>
    parseListingText("NLST", "ftp://h.dom/;type=d", "aaaa\r\nbbbb\r\n", mergeLimits(limits), 1).then(
      () => ({ code: undefined, limit: undefined }) as unknown as AccessError,
      (error: AccessError) => error,
    );

  it.each<[Partial<CoreLimits>, Partial<CoreLimits>]>([
    [{ maxListingBytes: 12 }, { maxListingBytes: 11 }],
    [{ maxListingEntries: 2 }, { maxListingEntries: 1 }],
    [{ maxListingLineBytes: 4 }, { maxListingLineBytes: 3 }],
  ])(
    "parseFtpListing accepts a listing with the limits %o, and throws an error for it with the limits %o",
    async (enough, less) => {
      expect((await failing(enough)).code).toBeUndefined();
      expect((await failing(less)).code).toBe("limit");
    },
  );
});
