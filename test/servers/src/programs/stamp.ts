import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serverCatalogue, type ServerName } from "./catalogue.ts";

const stampFile = "stamp.json";

/** The distribution's release, because libraries extracted for another one may not fit. */
function systemRelease(): string {
  try {
    const release = readFileSync("/etc/os-release", "utf8");
    return release.match(/^(?:ID|VERSION_ID)=.*$/gm)?.join(" ") ?? "";
  } catch {
    return "";
  }
}

/** What an extracted folder must say about itself to be used: the packages asked for, on which system. */
export function expectedStamp(name: ServerName): string {
  return `${JSON.stringify({ packages: serverCatalogue[name].packages, system: systemRelease() })}\n`;
}

/** The path of the stamp inside an extracted folder. */
export function stampPath(folder: string): string {
  return join(folder, stampFile);
}

/** True when `folder` holds the complete server as the catalogue describes it today. */
export function isCurrent(name: ServerName, folder: string): boolean {
  try {
    return readFileSync(stampPath(folder), "utf8") === expectedStamp(name);
  } catch {
    return false;
  }
}
