import type { Step } from "@anyscheme/core";
import { expectStep, sendStep, type PlanOptions } from "@anyscheme/core/plugin";
import { type CommandParts, encodeCommand, shown } from "./encode-command.ts";

/** Makes a `send` step for a command; `text` replaces what is shown of it. */
export type Say = (
  command: CommandParts,
  section: string,
  init?: { text?: string | undefined; when?: string | undefined; secret?: boolean | undefined },
) => Step;

/** Throws `refused-characters` for an argument that must not be sent. */
export function sayWith(options: PlanOptions): Say {
  return (command, section, { text, when, secret } = {}) => {
    const bytes = encodeCommand(command, options);
    return sendStep(bytes, section, text ?? textOf(command), { onReply: when, secret });
  };
}

function textOf({ verb, argument }: CommandParts): string {
  return argument === undefined ? verb : `${verb} ${shown(argument)}`;
}

// RFC 1123 §4.1.2.11: "A User-FTP SHOULD generally use only the highest-order digit of a 3-digit reply code for making a
// procedural decision". The further digits are looked at only where they tell what to do next.

/** Waits for a reply that begins with one of `accept`. */
export function hear(accept: readonly string[], text: string, when?: string): Step {
  return expectStep(accept, "RFC 959 5.4", text, when);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
