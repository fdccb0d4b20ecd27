import { AccessError } from "../errors/access-error.ts";
import { limitError, type Limits } from "../policy/limits.ts";
import type { SocketReader } from "./socket-reader.ts";
import type { LineLimit } from "./lines.ts";

const LF = 0x0a;

/**
 * The next line without its CR LF or LF, one character a byte; what follows it stays to be read. `undefined` when the
 * connection has ended. Throws `limit` for a line that is too long, and `incomplete` for half a line.
 */
export async function readLine(
  inflow: Pick<SocketReader, "read" | "unread">,
  limits: Limits,
  name: LineLimit,
): Promise<string | undefined> {
  let text = "";
  let whole = false;
  const state = await inflow.read((bytes) => {
    const end = bytes.indexOf(LF);
    whole = end >= 0;
    const piece = whole ? bytes.subarray(0, end) : bytes;
    // A CR may belong to the line end.
    if (text.length + piece.length > limits[name] + 1) throw limitError(name, limits, "a line is too long");
    text += Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString("latin1");
    if (whole) inflow.unread(bytes.subarray(end + 1));
    return !whole;
  });
  if (!whole && state === "end") {
    if (text === "") return undefined;
    throw new AccessError("incomplete", "the connection ended in the middle of a line");
  }
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (line.length > limits[name]) throw limitError(name, limits, "a line is too long");
  return line;
}
