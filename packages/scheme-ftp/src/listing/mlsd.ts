import { createEntry, createInvalidEntry } from "./entry.ts";
import { parseFacts } from "./facts.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** Lines of MLSD. Its names are names, and never paths. RFC 3659 §7.2. */
export function mlsdLineParser(list: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  return (line) => {
    if (line.length === 0) return undefined;
    const facts = parseFacts(Buffer.from(line).toString("latin1"));
    if (!facts) return createInvalidEntry(line, "the line has no blank between facts and name");
    // The directory itself and the one above.            RFC 3659 §7.5.1
    if (facts.type === "cdir" || facts.type === "pdir") return undefined;
    if (facts.name === "") return createInvalidEntry(line, "the line has no name");
    return createEntry(list, Buffer.from(facts.name, "latin1"), facts);
  };
}
