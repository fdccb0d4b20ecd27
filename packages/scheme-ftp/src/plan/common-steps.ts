// Steps that hold nothing of a URL, made once for all plans.
import type { Step } from "@anyscheme/core";
import { sendStep, step } from "@anyscheme/core/plugin";
import type { Receiving } from "./phases.ts";
import { hear, sayWith } from "./steps.ts";

const say = sayWith({});

/** The older way to a port: after a refusal of EPSV, and where its port cannot be reached. */
export const PASV: readonly Step[] = [
  say({ verb: "PASV" }, "RFC 959 4.1.2", { when: "5" }),
  hear(["227"], "227 and a port; the address beside it is not used", "5"),
];

/** The server opens a port and tells it. Of its reply only the port is used, never an address. */
export const PASSIVE: readonly [command: Step, ...answers: Step[]] = [
  say({ verb: "EPSV" }, "RFC 2428 3"),
  hear(["229", "3", "5"], "229 and a port; a refusal, and a port that cannot be reached, lead to PASV"),
  ...PASV,
];

/** The data connection. */
export const DATA: Step = step("connect", "RFC 959 3.2", "the data connection: that port of the same host");

/** In answer to the command for a transfer. */
export const BEGINS: Step = hear(["1"], "150 or 125, the transfer begins");

const NOOP = say({ verb: "NOOP" }, "RFC 959 4.1.3", { when: "1" });
const CONFIRMED = hear(["2"], "226 or 250: only now the transfer is complete");

/** Bytes come, with what is said meanwhile and what is heard after them. */
function receiving(section: string, what: string): Receiving {
  return [step("transfer", section, what), NOOP, CONFIRMED];
}

export const RECEIVE_NAMES: Receiving = receiving("3.2.2", "the names in the directory, one a line");
export const RECEIVE_LIST: Receiving = receiving("RFC 959 4.1.3", "the directory, one entry a line");
export const RECEIVE_FILE: Readonly<Record<"asIs" | "lf" | "crlf", Receiving>> = {
  asIs: receiving("3.2.2", "the bytes of the file as they are"),
  lf: receiving("3.2.2", "the bytes of the file, its line ends CR LF made LF"),
  crlf: receiving("3.2.2", "the bytes of the file, its lines with CR LF at their ends"),
};

/** SIZE and MDTM, whose refusal is no reason not to ask for the file. */
const FACT = ["213", "450", "5"];
export const SIZE_TOLD: Step = hear(FACT, "213 and the number of bytes");
export const TIME_TOLD: Step = hear(FACT, "213 and the time of the last change, UTC");

/**
 * RFC 1738 §3.2.5: "it is impossible in general to deduce what sequence should be given to navigate to another directory for
 * a second retrieval". The answer to PWD after the login makes it possible where a return to that very place can be proved.
 */
export const HOME: readonly Step[] = [
  say({ verb: "PWD" }, "3.2.5"),
  hear(["2", "5"], "257 and the directory after the login"),
];

/** The return to the directory after the login, on a connection that was kept. */
export const BACK: readonly Step[] = [
  sendStep(undefined, "3.2.5", "CWD (the directory after the login, where a kept connection has left it)", {
    onReply: "257",
  }),
  hear(["2"], "250, the directory is changed", "257"),
  say({ verb: "PWD" }, "3.2.5", { when: "257" }),
  hear(["257"], "257 and the same directory as after the login; else a new connection", "257"),
];

/** In answer to CWD. */
export const CHANGED: Step = hear(["2"], "250, the directory is changed");

export const LEAVE: readonly Step[] = [
  say({ verb: "QUIT" }, "RFC 959 4.1.1"),
  step("close", "RFC 959 4.1.1", "both connections; the control connection may be kept for a while before"),
];
