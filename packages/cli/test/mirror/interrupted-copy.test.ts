import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { runBuiltCommand, startBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import {
  MODIFICATION_DATE,
  SERVED_FILES,
  getFirstHalf,
  FILES_WITH_PAUSED_TRANSFER,
  type TransferPausingServer,
  startTransferPausingFtpServer,
  startTransferPausingGopherServer,
} from "./transfer-pausing-servers.ts";
import { readFolderContents } from "./read-folder-contents.ts";

const convertFilesToText = (files: Readonly<Record<string, Buffer>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.toString("latin1")]));
const partialFiles = Object.fromEntries(
  Object.entries(FILES_WITH_PAUSED_TRANSFER).map(([name, file]) => [
    name.replace(/[^/]+$/, ".$&.anyscheme-part"),
    getFirstHalf(file),
  ]),
);

function getRecursivelyArguments({ url }: TransferPausingServer, target: string): string[] {
  const allow = url.startsWith("gopher:") ? ["--allow-port", `gopher:${new URL(url).port}`] : [];
  return ["get", "-r", url, "-o", target, "--json", ...allow];
}

/** On a busy machine, the start of a process may take up to 15 s. */
const WAIT_OPTIONS = { timeout: 15_000, interval: 10 };

/**
 * Runs the command until the server delays all transfers, and interrupts the command. Resolves to the saved files
 * that the command reported.
 */
async function runAndInterruptCopy(
  server: TransferPausingServer,
  target: string,
): Promise<Record<string, Buffer>> {
  const command = startBuiltCommand(getRecursivelyArguments(server, target));
  await expect
    .poll(() => Object.keys(partialFiles).map((name) => getFileSize(join(target, name))), WAIT_OPTIONS)
    .toEqual(Object.values(partialFiles).map(({ length }) => length));
  command.kill("SIGINT");
  const { exitCode, signal, stdout } = await command.ended;
  expect([exitCode, signal]).toEqual([130, null]);
  const told = stdout.match(/.+/g)?.map((line) => JSON.parse(line) as { saved: string }) ?? [];
  const saved = told.map(({ saved }) => relative(target, saved));
  expect(saved).toContain("a.txt");
  expect(server.requests.toSorted()).toEqual(
    ["", "sub/", ...Object.keys(FILES_WITH_PAUSED_TRANSFER), ...saved].toSorted(),
  );
  return Object.fromEntries(saved.map((name) => [name, SERVED_FILES[name] as Buffer]));
}

/** Runs the same command again, without an interrupt. */
async function resumeCopy(server: TransferPausingServer, target: string): Promise<void> {
  server.requests.length = 0;
  server.release();
  expect(await runBuiltCommand(getRecursivelyArguments(server, target))).toMatchObject({ exitCode: 0 });
  expect(readFolderContents(target)).toEqual(convertFilesToText(SERVED_FILES));
}

function getFileSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

describe("get -r can be interrupted during transfers", () => {
  it("an interrupted get -r of FTP keeps partial files, and the next run resumes them", async () => {
    await using server = await startTransferPausingFtpServer();
    const target = join(createTemporaryFolder(), "t");
    const saved = await runAndInterruptCopy(server, target);
    expect(readFolderContents(target)).toEqual(convertFilesToText({ ...saved, ...partialFiles }));
    // A partial file has the date of the remote file, which identifies the version of the file.
    for (const name of Object.keys(partialFiles))
      expect(statSync(join(target, name)).mtime).toEqual(MODIFICATION_DATE);
    await resumeCopy(server, target);
    const rest = Object.keys(SERVED_FILES).filter((name) => !(name in saved));
    const asked = rest.map((name) =>
      FILES_WITH_PAUSED_TRANSFER[name]
        ? `${name} from ${getFirstHalf(FILES_WITH_PAUSED_TRANSFER[name]).length}`
        : name,
    );
    expect(server.requests.toSorted()).toEqual(["", "sub/", ...asked].toSorted());
  });

  it("an interrupted get -r of Gopher keeps complete files, and the next run downloads all items again", async () => {
    await using server = await startTransferPausingGopherServer();
    const target = join(createTemporaryFolder(), "t");
    const saved = await runAndInterruptCopy(server, target);
    expect(readFolderContents(target)).toEqual(convertFilesToText(saved));
    await resumeCopy(server, target);
    // Gopher menus contain neither sizes nor dates of files.
    expect(server.requests.toSorted()).toEqual(["", "sub/", ...Object.keys(SERVED_FILES)].toSorted());
  });
});
