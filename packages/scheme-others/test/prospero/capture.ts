import { readFileSync } from "node:fs";

/** A datagram of a capture, from a client or from the server. */
export interface Captured {
  readonly from: "client" | "server";
  readonly bytes: Buffer;
}

/** The datagrams between a client and the Prospero server PreAlpha.5.3, in order; the file is in `captures/`. */
export function readCapture(name: string): readonly Captured[] {
  const lines = readFileSync(new URL(`captures/${name}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const { dir, hex } = JSON.parse(line) as { dir: "C" | "S"; hex: string };
    return { from: dir === "C" ? "client" : "server", bytes: Buffer.from(hex, "hex") };
  });
}

/** The datagrams of the server, up to the request with this number, from 0. */
export function replyDatagrams(name: string, request = 0): Buffer[] {
  const replies: Buffer[] = [];
  let requests = -1;
  for (const { from, bytes } of readCapture(name)) {
    // Packets with the number 0 acknowledge, and belong to the request before them.
    if (from === "client" && bytes.readUInt16BE(3) !== 0) requests++;
    if (from === "server" && requests === request) replies.push(bytes);
  }
  return replies;
}

/** The text of the reply in those datagrams, one character a byte. */
export function replyText(name: string, request = 0): string {
  return replyDatagrams(name, request)
    .map((bytes) => bytes.subarray(bytes[0]).toString("latin1"))
    .join("");
}
