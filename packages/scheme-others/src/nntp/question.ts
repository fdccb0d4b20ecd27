import type { Step } from "@anyscheme/core";
import { expectStep, sendStep } from "@anyscheme/core/plugin";
import { MASK } from "@anyscheme/core/syntax";
import { encodeCommand } from "./plan/commands.ts";

/** A command that a server may answer by asking for a login first. */
export interface Question {
  readonly section: string;
  readonly expect: Step;
  readonly login: readonly Step[];
  readonly expectAgain: Step;
}

const LOGIN = "RFC 4643 2.3";

/** The steps that go with a command, the same for every argument. `accept` are the replies that let the access go on. */
export function question(section: string, accept: readonly string[], reply: string): Question {
  return {
    section,
    expect: expectStep([...accept, "480"], section, `${reply}; 480, log in first`),
    login: [
      sendStep(undefined, LOGIN, "AUTHINFO USER (asked for)", { onReply: "480", secret: true }),
      expectStep(["281", "381"], LOGIN, "281, logged in; 381, send the password", "480"),
      sendStep(undefined, LOGIN, `AUTHINFO PASS ${MASK} (asked for)`, { onReply: "381", secret: true }),
      expectStep(["281"], LOGIN, "281, logged in", "381"),
    ],
    expectAgain: expectStep(accept, section, reply, "281"),
  };
}

/** The command, the login where the server wants one first, and the command again behind it. RFC 4643 §2.3. */
export function asking(
  { section, expect, login, expectAgain }: Question,
  verb: string,
  argument: string,
): Step[] {
  const bytes = encodeCommand(verb, argument);
  const text = `${verb} ${argument}`;
  const again = sendStep(bytes, section, text, { onReply: "281" });
  return [sendStep(bytes, section, text), expect, ...login, again, expectAgain];
}
