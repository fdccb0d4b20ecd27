import type { Peer } from "@anyscheme/core/testing";

/** Answers line by line, by the first word of each, until the client has ended. */
export async function answerLines(
  peer: Peer,
  answers: Readonly<Record<string, string>>,
  otherwise: string,
): Promise<void> {
  for (let line = await peer.line(); line !== undefined; line = await peer.line())
    peer.send(`${answers[line.split(" ", 1)[0] ?? ""] ?? otherwise}\r\n`);
}
