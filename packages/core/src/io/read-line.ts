import { AccessError } from "../errors/access-error.ts";
import type { Limits } from "../policy/limits.ts";
import type { SocketReader } from "./socket-reader.ts";
import { LineScanner } from "./line-scanner.ts";
import type { LineLimit } from "./lines.ts";

/**
 * The next line without its CR LF or LF, one character a byte; what follows it stays to be read. `undefined` when the
 * connection has ended. Throws `limit` for a line that is too long, and `incomplete` for half a line.
 */
export async function readLine(
  inflow: Pick<SocketReader, "read" | "unread">,
  limits: Limits,
  name: LineLimit,
): Promise<string | undefined> {
  const scanner = new LineScanner(limits, name);
  let line: string | undefined;
  const state = await inflow.read((bytes) => {
    const scanned = scanner.push(bytes);
    line = scanned.line;
    if (line !== undefined) inflow.unread(bytes.subarray(scanned.used));
    return line === undefined;
  });
  if (line === undefined && state === "end" && scanner.partial !== "")
    throw new AccessError("incomplete", "the connection ended in the middle of a line");
  return line;
}
