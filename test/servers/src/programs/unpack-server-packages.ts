import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dependenciesByExternalProgram, type TestProgramName } from "./server-dependencies.ts";
import { moveFolderIntoPlace } from "./move-into-place.ts";
import { createUnprivilegedApt, type UnprivilegedApt } from "./unprivileged-apt.ts";
import {
  formatExtractedServerStamp,
  isExtractedServerCurrent,
  extractedServerStampPath,
} from "./extracted-server-stamp.ts";

/**
 * Extracts the packages of servers into subfolders of `folder`. Returns the reasons of failures by server.
 * Each process extracts a server into a staging folder, then moves it to its final path, so other processes
 * never see an incomplete server.
 */
export async function unpackServerPackages(
  names: readonly TestProgramName[],
  folder: string,
): Promise<ReadonlyMap<TestProgramName, string>> {
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(join(folder, "staging-"));
  try {
    const apt = await createUnprivilegedApt(join(staging, "apt"));
    const failures = new Map<TestProgramName, string>();
    for (const name of names) {
      await extractServer(apt, name, join(staging, name), join(folder, name)).catch((error: unknown) => {
        failures.set(name, error instanceof Error ? error.message : String(error));
      });
    }
    return failures;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function extractServer(
  apt: UnprivilegedApt,
  name: TestProgramName,
  staged: string,
  target: string,
): Promise<void> {
  const packages = await apt.listMissingPackages(dependenciesByExternalProgram[name].packages);
  if (packages.length === 0)
    throw new Error("the packages of the server are installed but lack the expected files");
  await mkdir(staged);
  await apt.extractPackages(packages, staged);
  await writeFile(extractedServerStampPath(staged), formatExtractedServerStamp(name));
  // All users may read the folder, because a daemon without root privileges still loads its libraries.
  await chmod(staged, 0o755);
  await moveFolderIntoPlace(staged, target, () => isExtractedServerCurrent(name, target));
}
