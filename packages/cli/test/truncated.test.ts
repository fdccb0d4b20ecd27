import "@abraham/reflection";
import { type DirectoryCompleteness, type Entry, makePlan, type Scheme } from "@anyscheme/core";
import { registerScheme } from "@anyscheme/core/tsyringe";
import { ftpSyntax } from "@anyscheme/scheme-ftp/syntax";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { container, type DependencyContainer } from "tsyringe";
import { describe, expect, it } from "vitest";
import { testFolder } from "./folder.ts";
import { runHere } from "./test-io.ts";

/** A host whose FTP has one directory with one file, and this completeness. */
function hostWith(completeness: DirectoryCompleteness): DependencyContainer {
  const host = container.createChildContainer();
  const entries: readonly Entry[] = [
    { name: "a.txt", url: ftpSyntax.parse("ftp://h/pub/a.txt"), kind: "file" },
  ];
  const ftp: Scheme = {
    name: "ftp",
    syntax: ftpSyntax,
    plan: (url) => makePlan(url, []),
    access({ url }, context) {
      if (!url.href.includes("a.txt"))
        return Promise.resolve(context.directory({ entries: listed(entries), completeness }));
      const source = {
        read: (take: (octets: Uint8Array) => boolean) => {
          take(Buffer.from("text"));
          return Promise.resolve("end" as const);
        },
        cancel: () => undefined,
      };
      return Promise.resolve(context.content({ source, mediaType: "text/plain" }));
    },
  };
  registerScheme(host, ftp);
  return host;
}

async function* listed(entries: readonly Entry[]): AsyncGenerator<Entry> {
  for (const entry of entries) yield await Promise.resolve(entry);
}

const SAYS = "anyscheme: incomplete: the listing is incomplete: the server left entries out: ftp://h/pub/";

describe("a listing that the server has cut", () => {
  it.each<[DirectoryCompleteness, number]>([
    ["truncated", 18],
    ["unverified", 0],
    ["verified", 0],
  ])("%s: exit code %i, and what is there is written", async (completeness, exit) => {
    const host = hostWith(completeness);
    const listed = await runHere(["ls", "ftp://h/pub/"], { host });
    expect([listed.exit, listed.out.includes("a.txt")]).toEqual([exit, true]);
    expect(listed.err).toBe(exit === 0 ? "" : `${SAYS}\n`);
    const json = await runHere(["ls", "--json", "ftp://h/pub/"], { host });
    expect([json.exit, json.out.includes("a.txt")]).toEqual([exit, true]);
    const file = join(testFolder(), "list");
    const got = await runHere(["get", "--json", "-o", file, "ftp://h/pub/"], { host });
    expect([got.exit, existsSync(file) && readFileSync(file, "utf8").includes("a.txt")]).toEqual([
      exit,
      true,
    ]);
    expect(JSON.parse(got.out)).toMatchObject({ kind: "directory", completeness });
    expect((await runHere(["get", "ftp://h/pub/"], { host })).exit).toBe(exit);
    // The body is not read.
    expect((await runHere(["get", "--json", "ftp://h/pub/"], { host })).exit).toBe(0);
  });

  it("get -r copies what is there, and says that something is missing", async () => {
    const target = testFolder();
    const { exit, err } = await runHere(["get", "-r", "-o", target, "ftp://h/pub/"], {
      host: hostWith("truncated"),
    });
    expect(exit).toBe(18);
    expect(err).toContain(SAYS);
    expect(err).toContain("1 saved, 0 up to date, 0 skipped, 0 external, 0 failed");
    expect(readFileSync(join(target, "a.txt"), "utf8")).toBe("text");
  });
});
