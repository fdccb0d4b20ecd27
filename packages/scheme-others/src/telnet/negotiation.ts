import type { Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import { OPTIONS, type Verb } from "./constants.ts";

/** Which options either side may switch on. */
export interface OptionPolicy {
  /** Those of the peer: its WILL is answered with DO. */
  readonly remote: ReadonlySet<number>;
  /** Those of ours: its DO is answered with WILL. */
  readonly local: ReadonlySet<number>;
}

/** What an option's negotiation comes to. */
export interface NegotiationResult {
  /** What has to be answered; nothing to what is no news. */
  readonly answer: Verb | undefined;
  /** Whether the option was switched on or off by it. */
  readonly changed: boolean;
}

const NO_CHANGE: NegotiationResult = { answer: undefined, changed: false };

/**
 * Which options are on. RFC 854: "a party may only request a change in option status", an acknowledgement is not answered,
 * and a refusal always possible. We ask for nothing ourselves, so that of the states of RFC 1143 only "yes" and "no" occur.
 */
export class Negotiation {
  readonly #policy: OptionPolicy;
  readonly #limits: Limits;
  readonly #remote = new Set<number>();
  readonly #local = new Set<number>();
  #answers = 0;

  constructor(agreeable: OptionPolicy, limits: Limits) {
    this.#policy = agreeable;
    this.#limits = limits;
  }

  /** Whether the peer has this option on. */
  isRemoteEnabled(option: number): boolean {
    return this.#remote.has(option);
  }

  /** Whether we have it on. */
  isLocalEnabled(option: number): boolean {
    return this.#local.has(option);
  }

  /** Takes in what the peer says. Throws `limit` when it goes on and on. */
  receive(verb: Verb, option: number): NegotiationResult {
    const theirs = verb === "WILL" || verb === "WONT";
    const on = theirs ? this.#remote : this.#local;
    const wanted = verb === "WILL" || verb === "DO";
    // A refused request may be repeated, and is refused again; all else is answered once.
    if (on.has(option) === wanted) return NO_CHANGE;
    this.countAnswer();
    if (!wanted) {
      on.delete(option);
      return { answer: theirs ? "DONT" : "WONT", changed: true };
    }
    const agreed = (theirs ? this.#policy.remote : this.#policy.local).has(option);
    if (agreed) on.add(option);
    const answer = theirs ? (agreed ? "DO" : "DONT") : agreed ? "WILL" : "WONT";
    return { answer, changed: agreed };
  }

  /** Counts an answer. Two ends that contradict each other do so for ever, unless somebody stops. Throws `limit`. */
  countAnswer(): void {
    if (++this.#answers > this.#limits.maxOptionChanges)
      throw limitError("maxOptionChanges", this.#limits, "the server goes on negotiating Telnet options");
  }

  /** The user has sent something: what the server negotiates now may be an answer to that. */
  resetAnswerCount(): void {
    this.#answers = 0;
  }
}

/** The options that may be agreed on one by one; those of the terminal follow from what is told of it. */
export type AcceptedOption = "binary" | "echo" | "suppress-go-ahead";

/** The options that these settings agree to. The server may echo; we never do. */
export function acceptedOptions(
  accepted: readonly AcceptedOption[],
  terminal: { readonly type: boolean; readonly size: boolean },
): OptionPolicy {
  const his = new Set<number>();
  const mine = new Set<number>();
  if (accepted.includes("echo")) his.add(OPTIONS.ECHO);
  if (accepted.includes("suppress-go-ahead")) {
    his.add(OPTIONS["SUPPRESS-GO-AHEAD"]);
    mine.add(OPTIONS["SUPPRESS-GO-AHEAD"]);
  }
  if (accepted.includes("binary")) {
    his.add(OPTIONS.BINARY);
    mine.add(OPTIONS.BINARY);
  }
  if (terminal.type) mine.add(OPTIONS["TERMINAL-TYPE"]);
  if (terminal.size) mine.add(OPTIONS.NAWS);
  return { remote: his, local: mine };
}
