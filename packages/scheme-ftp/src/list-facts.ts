import { entryOf } from "./entry.ts";
import { readFacts } from "./facts.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "./syntax.ts";

/** Lines of MLSD. Its names are names, and never paths. RFC 3659 §7.2. */
export function readFactLine(list: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  return (line) => {
    const facts = readFacts(Buffer.from(line).toString("latin1"));
    // The directory itself and the one above.            RFC 3659 §7.5.1
    if (!facts || facts.type === "cdir" || facts.type === "pdir") return undefined;
    return entryOf(list, Buffer.from(facts.name, "latin1"), facts);
  };
}
