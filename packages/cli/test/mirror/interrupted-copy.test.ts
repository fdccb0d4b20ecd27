import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand, startCommand } from "../run-built-command.ts";
import { testFolder } from "../temporary-folder.ts";
import {
  DATE,
  FILES,
  firstHalf,
  DELAYED_FILES,
  type DelayingServer,
  startDelayingFtp,
  startDelayingGopher,
} from "./delaying-servers.ts";
import { readTree } from "./read-folder-contents.ts";

const texts = (files: Readonly<Record<string, Buffer>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.toString("latin1")]));
const halves = Object.fromEntries(
  Object.entries(DELAYED_FILES).map(([name, file]) => [
    name.replace(/[^/]+$/, ".$&.anyscheme-part"),
    firstHalf(file),
  ]),
);

function argumentsFor({ url }: DelayingServer, target: string): string[] {
  const allow = url.startsWith("gopher:") ? ["--allow-port", `gopher:${new URL(url).port}`] : [];
  return ["get", "-r", url, "-o", target, "--json", ...allow];
}

/** On a busy machine, the start of a process may take up to 15 s. */
const GIVE_UP = { timeout: 15_000, interval: 10 };

/**
 * Runs the command until the server delays all transfers, and interrupts the command. Resolves to the saved files
 * that the command reported.
 */
async function interrupted(server: DelayingServer, target: string): Promise<Record<string, Buffer>> {
  const command = startCommand(argumentsFor(server, target));
  await expect
    .poll(() => Object.keys(halves).map((name) => sizeOf(join(target, name))), GIVE_UP)
    .toEqual(Object.values(halves).map(({ length }) => length));
  command.kill("SIGINT");
  const { exit, signal, out } = await command.ended;
  expect([exit, signal]).toEqual([130, null]);
  const told = out.match(/.+/g)?.map((line) => JSON.parse(line) as { saved: string }) ?? [];
  const saved = told.map(({ saved }) => relative(target, saved));
  expect(saved).toContain("a.txt");
  expect(server.requests.toSorted()).toEqual(
    ["", "sub/", ...Object.keys(DELAYED_FILES), ...saved].toSorted(),
  );
  return Object.fromEntries(saved.map((name) => [name, FILES[name] as Buffer]));
}

/** Runs the same command again, without an interrupt. */
async function runAgain(server: DelayingServer, target: string): Promise<void> {
  server.requests.length = 0;
  server.release();
  expect(await runCommand(argumentsFor(server, target))).toMatchObject({ exit: 0 });
  expect(readTree(target)).toEqual(texts(FILES));
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

describe("get -r can be interrupted during transfers", () => {
  it("an interrupted get -r of FTP keeps partial files, and the next run resumes them", async () => {
    await using server = await startDelayingFtp();
    const target = join(testFolder(), "t");
    const saved = await interrupted(server, target);
    expect(readTree(target)).toEqual(texts({ ...saved, ...halves }));
    // A partial file has the date of the remote file, which identifies the version of the file.
    for (const name of Object.keys(halves)) expect(statSync(join(target, name)).mtime).toEqual(DATE);
    await runAgain(server, target);
    const rest = Object.keys(FILES).filter((name) => !(name in saved));
    const asked = rest.map((name) =>
      DELAYED_FILES[name] ? `${name} from ${firstHalf(DELAYED_FILES[name]).length}` : name,
    );
    expect(server.requests.toSorted()).toEqual(["", "sub/", ...asked].toSorted());
  });

  it("an interrupted get -r of Gopher keeps complete files, and the next run downloads all items again", async () => {
    await using server = await startDelayingGopher();
    const target = join(testFolder(), "t");
    const saved = await interrupted(server, target);
    expect(readTree(target)).toEqual(texts(saved));
    await runAgain(server, target);
    // Gopher menus contain neither sizes nor dates of files.
    expect(server.requests.toSorted()).toEqual(["", "sub/", ...Object.keys(FILES)].toSorted());
  });
});
