import { readFileSync } from "node:fs";

/** A captured UDP datagram, sent by a Prospero client or by the server. */
export interface CapturedDatagram {
  readonly sender: "client" | "server";
  readonly bytes: Buffer;
}

/**
 * Returns the datagrams between a client and the Prospero server PreAlpha.5.3, in order. The capture is a file in the
 * folder `captures`.
 */
export function readCapturedDatagrams(name: string): readonly CapturedDatagram[] {
  const lines = readFileSync(new URL(`captures/${name}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const { dir, hex } = JSON.parse(line) as { dir: "C" | "S"; hex: string };
    return { sender: dir === "C" ? "client" : "server", bytes: Buffer.from(hex, "hex") };
  });
}

/** Returns the datagrams in which the server replies to the request with the given number, counted from 0. */
export function readCapturedReplyDatagrams(name: string, request = 0): Buffer[] {
  const replies: Buffer[] = [];
  let requests = -1;
  for (const { sender, bytes } of readCapturedDatagrams(name)) {
    // A packet with the number 0 is an acknowledgement, and belongs to the previous request.
    if (sender === "client" && bytes.readUInt16BE(3) !== 0) requests++;
    if (sender === "server" && requests === request) replies.push(bytes);
  }
  return replies;
}

/** Returns the text of the reply to a request, with one character per byte. */
export function readCapturedReplyText(name: string, request = 0): string {
  return readCapturedReplyDatagrams(name, request)
    .map((bytes) => bytes.subarray(bytes[0]).toString("latin1"))
    .join("");
}
