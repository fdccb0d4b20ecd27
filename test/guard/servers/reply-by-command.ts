import type { Peer } from "@anyscheme/core/testing";

/** Replies to each command with the reply for its verb, until the client closes the connection. */
export async function replyByCommand(
  peer: Peer,
  replies: Readonly<Record<string, string>>,
  defaultReply: string,
): Promise<void> {
  for (let line = await peer.line(); line !== undefined; line = await peer.line())
    peer.send(`${replies[line.split(" ", 1)[0] ?? ""] ?? defaultReply}\r\n`);
}
