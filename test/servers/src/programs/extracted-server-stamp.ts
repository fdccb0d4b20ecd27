import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dependenciesByExternalProgram, type TestProgramName } from "./server-dependencies.ts";

const extractionStampFileName = "stamp.json";

/**
 * Returns the name and release of the Linux distribution. Libraries that were extracted for a different Linux
 * distribution release may be incompatible.
 */
function readSystemRelease(): string {
  try {
    const release = readFileSync("/etc/os-release", "utf8");
    return release.match(/^(?:ID|VERSION_ID)=.*$/gm)?.join(" ") ?? "";
  } catch {
    return "";
  }
}

/**
 * Returns the contents that the stamp file of an extracted server must have: the packages and the
 * distribution.
 */
export function formatExtractedServerStamp(name: TestProgramName): string {
  return `${JSON.stringify({ packages: dependenciesByExternalProgram[name].packages, system: readSystemRelease() })}\n`;
}

/** Returns the path of the stamp file in the folder of an extracted server. */
export function extractedServerStampPath(folder: string): string {
  return join(folder, extractionStampFileName);
}

/** Returns true when the stamp file in `folder` names the server's current packages and this distribution. */
export function isExtractedServerCurrent(name: TestProgramName, folder: string): boolean {
  try {
    return readFileSync(extractedServerStampPath(folder), "utf8") === formatExtractedServerStamp(name);
  } catch {
    return false;
  }
}
