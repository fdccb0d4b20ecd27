import type { ScriptedPeer } from "@anyscheme/core/testing";

/** Replies to each command with the reply for its verb, until the client closes the connection. */
export async function replyToEachCommand(
  peer: ScriptedPeer,
  replies: Readonly<Record<string, string>>,
  defaultReply: string,
): Promise<void> {
  for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
    peer.send(`${replies[line.split(" ", 1)[0] ?? ""] ?? defaultReply}\r\n`);
}
