import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatServerInstallCommand } from "../src/programs/server-dependencies.ts";
import { locateServerProgramFiles } from "../src/programs/locate-server.ts";
import { moveFolderIntoPlace } from "../src/programs/move-into-place.ts";
import { readProgramOutput } from "../src/programs/read-program-output.ts";
import {
  formatExtractedServerStamp,
  isExtractedServerCurrent,
  extractedServerStampPath,
} from "../src/programs/extracted-server-stamp.ts";

let emptyFolder = "";
beforeEach(async () => {
  emptyFolder = await mkdtemp(join(tmpdir(), "programs-"));
});
afterEach(() => rm(emptyFolder, { recursive: true }));

describe("locateServerProgramFiles", () => {
  it("locateServerProgramFiles finds missing programs only in extracted packages with a current stamp", async () => {
    const missingPrograms = locateServerProgramFiles("gophernicus", emptyFolder).missingNames;
    const extracted = join(emptyFolder, "gophernicus");
    await mkdir(join(extracted, "usr/sbin"), { recursive: true });
    for (const name of missingPrograms) await writeFile(join(extracted, "usr/sbin", name), "");
    expect(locateServerProgramFiles("gophernicus", emptyFolder).missingNames).toEqual(missingPrograms);

    await writeFile(extractedServerStampPath(extracted), formatExtractedServerStamp("gophernicus"));
    const { paths, missingNames: missing } = locateServerProgramFiles("gophernicus", emptyFolder);
    expect(missing).toEqual([]);
    for (const name of missingPrograms) expect(paths.get(name)).toBe(join(extracted, "usr/sbin", name));

    await writeFile(extractedServerStampPath(extracted), formatExtractedServerStamp("vsftpd"));
    expect(isExtractedServerCurrent("gophernicus", extracted)).toBe(false);
    expect(locateServerProgramFiles("gophernicus", emptyFolder).missingNames).toEqual(missingPrograms);
  });

  it("formatServerInstallCommand returns an apt-get command that installs the packages", () => {
    expect(formatServerInstallCommand("gophernicus")).toBe(
      "apt-get install --no-install-recommends gophernicus socat",
    );
  });
});

describe("moveFolderIntoPlace", () => {
  const listFolder = (name: string): Promise<string[]> => readdir(join(emptyFolder, name));

  beforeEach(async () => {
    await mkdir(join(emptyFolder, "staged/mine"), { recursive: true });
  });

  it.each([
    { targetExists: false, targetIsUsable: false, remainingFiles: ["mine"] },
    { targetExists: true, targetIsUsable: true, remainingFiles: ["theirs"] },
    { targetExists: true, targetIsUsable: false, remainingFiles: ["mine"] },
  ])(
    "moveFolderIntoPlace leaves $remainingFiles in the target (target existed: $targetExists, target usable: $targetIsUsable)",
    async ({ targetExists, targetIsUsable, remainingFiles }) => {
      if (targetExists) await mkdir(join(emptyFolder, "target/theirs"), { recursive: true });
      await moveFolderIntoPlace(
        join(emptyFolder, "staged"),
        join(emptyFolder, "target"),
        () => targetIsUsable,
      );
      expect(await listFolder("target")).toEqual(remainingFiles);
    },
  );
});

describe("readProgramOutput", () => {
  it("readProgramOutput returns the output, or throws the last line of the standard error output", async () => {
    const script = join(emptyFolder, "script");
    await writeFile(
      script,
      '#!/bin/sh\necho "$1 $LC_ALL"\n[ "$1" = good ] || { echo "no luck" >&2; exit 3; }\n',
    );
    await chmod(script, 0o755);
    expect(await readProgramOutput(script, ["good"])).toBe("good C\n");
    await expect(readProgramOutput(script, ["bad"])).rejects.toThrow(`${script} failed: no luck`);
  });
});
