import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installCommand } from "../src/programs/catalogue.ts";
import { locateServer } from "../src/programs/locate.ts";
import { moveIntoPlace } from "../src/programs/move-into-place.ts";
import { runCommand } from "../src/programs/run-command.ts";
import { expectedStamp, isCurrent, stampPath } from "../src/programs/stamp.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "programs-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("locating a server", () => {
  it("searches extracted packages with a valid stamp for missing programs", async () => {
    const absent = locateServer("gophernicus", folder).missing;
    const extracted = join(folder, "gophernicus");
    await mkdir(join(extracted, "usr/sbin"), { recursive: true });
    for (const name of absent) await writeFile(join(extracted, "usr/sbin", name), "");
    expect(locateServer("gophernicus", folder).missing).toEqual(absent);

    await writeFile(stampPath(extracted), expectedStamp("gophernicus"));
    const { paths, missing } = locateServer("gophernicus", folder);
    expect(missing).toEqual([]);
    for (const name of absent) expect(paths.get(name)).toBe(join(extracted, "usr/sbin", name));

    await writeFile(stampPath(extracted), expectedStamp("vsftpd"));
    expect(isCurrent("gophernicus", extracted)).toBe(false);
    expect(locateServer("gophernicus", folder).missing).toEqual(absent);
  });

  it("has the command that installs it", () => {
    expect(installCommand("gophernicus")).toBe("apt-get install --no-install-recommends gophernicus socat");
  });
});

describe("moving a folder into place", () => {
  const content = (name: string): Promise<string[]> => readdir(join(folder, name));

  beforeEach(async () => {
    await mkdir(join(folder, "staged/mine"), { recursive: true });
  });

  it.each([
    { already: false, usable: false, result: ["mine"] },
    { already: true, usable: true, result: ["theirs"] },
    { already: true, usable: false, result: ["mine"] },
  ])(
    "gives $result when a folder is there: $already, usable: $usable",
    async ({ already, usable, result }) => {
      if (already) await mkdir(join(folder, "target/theirs"), { recursive: true });
      await moveIntoPlace(join(folder, "staged"), join(folder, "target"), () => usable);
      expect(await content("target")).toEqual(result);
    },
  );
});

describe("running a command", () => {
  it("gives its output, or its last words", async () => {
    const script = join(folder, "script");
    await writeFile(
      script,
      '#!/bin/sh\necho "$1 $LC_ALL"\n[ "$1" = good ] || { echo "no luck" >&2; exit 3; }\n',
    );
    await chmod(script, 0o755);
    expect(await runCommand(script, ["good"])).toBe("good C\n");
    await expect(runCommand(script, ["bad"])).rejects.toThrow(`${script} failed: no luck`);
  });
});
