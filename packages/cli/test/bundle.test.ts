import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { type CommandOptions, runCommand } from "./command.ts";
import { type SmallServers, startSmallServers } from "./small-servers.ts";

const inPackage = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const installed: CommandOptions = { file: inPackage("bin/anyscheme.cjs") };

let servers: SmallServers;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [inPackage("bundle.js")]);
  servers = await startSmallServers();
});

describe("the command as it is installed", () => {
  it.each([
    ["--version"],
    ["--help"],
    ["--help", "man"],
    ["schemes"],
    ["completion", "bash"],
    ["parse", "--json", "ftp://joe:x@h/a;type=i"],
    ["plan", "gopher://h/0/a"],
    ["plan", "wais://h/d?s"],
    ["get", "mailto:a@b.example"],
    ["get", "x-none:a"],
    ["get", "ftp://joe:x@h/a b"],
    ["frob"],
  ])("says the same as the build that it is made of: %s %s", async (...args) => {
    expect(await runCommand(args, installed)).toEqual(await runCommand(args));
  });

  it("gets by every small server", async () => {
    const { ftp, gopher, http } = servers;
    const urls = [
      `ftp://127.0.0.1:${ftp.port}/hello.txt`,
      `http://127.0.0.1:${http.port}/hello.txt`,
      `gopher://127.0.0.1:${gopher.port}/0/hello.txt`,
    ];
    const { exit, out } = await runCommand(
      ["get", "--allow-port", `gopher:${gopher.port}`, ...urls],
      installed,
    );
    expect({ exit, lines: out.split(/\r?\n/) }).toEqual({
      exit: 0,
      lines: ["Hello, world", "Hello, world", "Hello, world", ""],
    });
  });

  it("holds the packages of this house once each, and leads back to their sources", () => {
    const sources: string[] = [];
    expect(readdirSync(inPackage("dist/bundle")).length).toBeGreaterThan(20);
    for (const name of readdirSync(inPackage("dist/bundle"))) {
      const text = readFileSync(inPackage(`dist/bundle/${name}`), "utf8");
      if (name.endsWith(".map")) sources.push(...(JSON.parse(text) as { sources: string[] }).sources);
      // What is loaded from elsewhere would be there twice.
      else if (name.endsWith(".cjs")) expect(text).not.toMatch(/(?:from|import\(|require\()\s*"@anyscheme\//);
    }
    expect(readFileSync(inPackage("dist/bundle/basic-ftp.terms.txt"), "utf8")).toContain(
      "Permission is hereby granted",
    );
    expect(sources.some((source) => source.endsWith("core/src/client/client.ts"))).toBe(true);
    expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([]);
  });
});
