import "@abraham/reflection";
import type { DirectoryEntry, Scheme, DirectoryCompleteness } from "@anyscheme/core";
import { createPlan } from "@anyscheme/core/plugin";
import { registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import { ftpSyntax } from "@anyscheme/scheme-ftp/syntax";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { container, type DependencyContainer } from "tsyringe";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const FILE_ENTRY: DirectoryEntry = { name: "a.txt", url: ftpSyntax.parse("ftp://h/pub/a.txt"), kind: "file" };

/** Returns a tsyringe container whose FTP scheme has one directory with the given entries. */
function createContainerWithDirectory(
  completeness: DirectoryCompleteness,
  entries: readonly DirectoryEntry[] = [FILE_ENTRY],
): DependencyContainer {
  const host = container.createChildContainer();
  const ftp: Scheme = {
    name: "ftp",
    syntax: ftpSyntax,
    plan: (url) => createPlan(url, []),
    access({ url }, context) {
      if (!url.href.includes("a.txt"))
        return Promise.resolve(context.createDirectory({ entries: yieldEntries(entries), completeness }));
      const source = {
        readChunks: (take: (bytes: Uint8Array) => boolean) => {
          take(Buffer.from("text"));
          return Promise.resolve("end" as const);
        },
        cancel: () => undefined,
      };
      return Promise.resolve(context.createContent({ source, mediaType: "text/plain" }));
    },
  };
  registerSchemeInTsyringe(host, ftp);
  return host;
}

async function* yieldEntries(entries: readonly DirectoryEntry[]): AsyncGenerator<DirectoryEntry> {
  for (const entry of entries) yield await Promise.resolve(entry);
}

const TRUNCATION_MESSAGE =
  "anyscheme: incomplete: the listing is incomplete: the server omitted entries: ftp://h/pub/";

describe("ls and get report a truncated listing", () => {
  it.each<[DirectoryCompleteness, number]>([
    ["truncated", 18],
    ["unverified", 0],
    ["verified", 0],
  ])(
    "ls of a listing with the completeness %s exits with %i, and prints the entries",
    async (completeness, exit) => {
      const host = createContainerWithDirectory(completeness);
      const listed = await runCommandInProcess(["ls", "ftp://h/pub/"], { hostContainer: host });
      expect([listed.exitCode, listed.stdout.includes("a.txt")]).toEqual([exit, true]);
      expect(listed.stderr).toBe(exit === 0 ? "" : `${TRUNCATION_MESSAGE}\n`);
      const json = await runCommandInProcess(["ls", "--json", "ftp://h/pub/"], { hostContainer: host });
      expect([json.exitCode, json.stdout.includes("a.txt")]).toEqual([exit, true]);
      const file = join(createTemporaryFolder(), "list");
      const got = await runCommandInProcess(["get", "--json", "-o", file, "ftp://h/pub/"], {
        hostContainer: host,
      });
      expect([got.exitCode, existsSync(file) && readFileSync(file, "utf8").includes("a.txt")]).toEqual([
        exit,
        true,
      ]);
      expect(JSON.parse(got.stdout)).toMatchObject({ kind: "directory", completeness });
      expect((await runCommandInProcess(["get", "ftp://h/pub/"], { hostContainer: host })).exitCode).toBe(
        exit,
      );
      // The command `get --json` does not read the body.
      expect(
        (await runCommandInProcess(["get", "--json", "ftp://h/pub/"], { hostContainer: host })).exitCode,
      ).toBe(0);
    },
  );

  it("get -r copies the entries of a truncated listing, and reports that entries are missing", async () => {
    const target = createTemporaryFolder();
    const { exitCode, stderr } = await runCommandInProcess(["get", "-r", "-o", target, "ftp://h/pub/"], {
      hostContainer: createContainerWithDirectory("truncated"),
    });
    expect(exitCode).toBe(18);
    expect(stderr).toContain(TRUNCATION_MESSAGE);
    expect(stderr).toContain("1 saved, 0 up to date, 0 skipped, 0 external, 0 failed");
    expect(readFileSync(join(target, "a.txt"), "utf8")).toBe("text");
  });
});

describe("ls and get report a listing line that cannot be parsed", () => {
  const fault = "the line has no name";
  const unread: DirectoryEntry = { name: "-rw\u001b[2J", url: undefined, kind: "unknown", fault };
  const host = createContainerWithDirectory("verified", [unread, FILE_ENTRY]);

  it("ls prints the fault of a listing line that cannot be parsed, and exits with 0", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["ls", "ftp://h/pub/"], {
      hostContainer: host,
    });
    expect({ exitCode, stderr, lines: stdout.split("\n") }).toEqual({
      exitCode: 0,
      stderr: "",
      lines: [
        expect.stringMatching(/^fault +- +- +-rw\\x1b\[2J: the line has no name$/),
        expect.stringMatching(/^file .* a\.txt$/),
        "",
      ],
    });
    const json = await runCommandInProcess(["ls", "--json", "ftp://h/pub/"], { hostContainer: host });
    expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toMatchObject({ kind: "unknown", fault });
  });

  it("get -r reports a listing line that cannot be parsed as a failure, and copies the other entries", async () => {
    const target = createTemporaryFolder();
    const { exitCode, stderr } = await runCommandInProcess(["get", "-r", "-o", target, "ftp://h/pub/"], {
      hostContainer: host,
    });
    expect(exitCode).toBe(18);
    expect(stderr).toContain(
      'anyscheme: incomplete: a line of the listing cannot be parsed: "-rw\\x1b[2J": the line has no name: ftp://h/pub/\n',
    );
    expect(stderr).toContain("1 saved, 0 up to date, 0 skipped, 0 external, 1 failed");
    expect(readFileSync(join(target, "a.txt"), "utf8")).toBe("text");
  });

  it("get -r counts a listing line that cannot be parsed towards --max-files", async () => {
    const args = ["get", "-r", "--max-files", "1", "-o", createTemporaryFolder(), "ftp://h/pub/"];
    const { exitCode, stderr } = await runCommandInProcess(args, {
      hostContainer: createContainerWithDirectory("verified", [unread, unread, FILE_ENTRY]),
    });
    expect(exitCode).toBe(18);
    expect(stderr.match(/line of the listing cannot be parsed/g)).toHaveLength(1);
    expect(stderr).toContain("the tree has more than 1 entries");
  });
});

it("get -r ignores information lines of a menu, and reports an entry without a URL", async () => {
  const entries: readonly DirectoryEntry[] = [
    { name: "words", url: undefined, kind: "info" },
    { name: "gone", url: undefined, kind: "error" },
    FILE_ENTRY,
  ];
  const args = ["get", "-r", "-o", createTemporaryFolder(), "ftp://h/pub/"];
  const { exitCode, stderr } = await runCommandInProcess(args, {
    hostContainer: createContainerWithDirectory("verified", entries),
  });
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("words");
  expect(stderr).toContain("skipped gone: the entry has no URL");
  expect(stderr).toContain("1 saved, 0 up to date, 1 skipped, 0 external, 0 failed");
});
