import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand, startCommand } from "../command.ts";
import { testFolder } from "../folder.ts";
import {
  DATE,
  FILES,
  half,
  HELD,
  type HoldingServer,
  startHoldingFtp,
  startHoldingGopher,
} from "./holding-servers.ts";
import { treeOf } from "./tree-of.ts";

const texts = (files: Readonly<Record<string, Buffer>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.toString("latin1")]));
const halves = Object.fromEntries(
  Object.entries(HELD).map(([name, file]) => [name.replace(/[^/]+$/, ".$&.anyscheme-part"), half(file)]),
);

function argumentsFor({ url }: HoldingServer, target: string): string[] {
  const allow = url.startsWith("gopher:") ? ["--allow-port", `gopher:${new URL(url).port}`] : [];
  return ["get", "-r", url, "-o", target, "--json", ...allow];
}

/** Nothing is told of the time that the start of a process takes. */
const GIVE_UP = { timeout: 15_000, interval: 10 };

/** Runs the command until nothing goes on any more, and interrupts it. Gives the files that it says it has saved. */
async function interrupted(server: HoldingServer, target: string): Promise<Record<string, Buffer>> {
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
  expect(server.requests.toSorted()).toEqual(["", "sub/", ...Object.keys(HELD), ...saved].toSorted());
  return Object.fromEntries(saved.map((name) => [name, FILES[name] as Buffer]));
}

/** Runs the same command to its end. */
async function runAgain(server: HoldingServer, target: string): Promise<void> {
  server.requests.length = 0;
  server.goOn();
  expect(await runCommand(argumentsFor(server, target))).toMatchObject({ exit: 0 });
  expect(treeOf(target)).toEqual(texts(FILES));
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

describe("get -r that is interrupted while files are under way", () => {
  it("ftp: keeps what it has beside the names, and goes on there when it is run again", async () => {
    await using server = await startHoldingFtp();
    const target = join(testFolder(), "t");
    const saved = await interrupted(server, target);
    expect(treeOf(target)).toEqual(texts({ ...saved, ...halves }));
    // The date of the original says what the bytes belong to.
    for (const name of Object.keys(halves)) expect(statSync(join(target, name)).mtime).toEqual(DATE);
    await runAgain(server, target);
    const rest = Object.keys(FILES).filter((name) => !(name in saved));
    const asked = rest.map((name) => (HELD[name] ? `${name} from ${half(HELD[name]).length}` : name));
    expect(server.requests.toSorted()).toEqual(["", "sub/", ...asked].toSorted());
  });

  it("gopher: leaves complete files alone, and fetches its items again when it is run again", async () => {
    await using server = await startHoldingGopher();
    const target = join(testFolder(), "t");
    const saved = await interrupted(server, target);
    expect(treeOf(target)).toEqual(texts(saved));
    await runAgain(server, target);
    // Menus have neither sizes nor dates.
    expect(server.requests.toSorted()).toEqual(["", "sub/", ...Object.keys(FILES)].toSorted());
  });
});
