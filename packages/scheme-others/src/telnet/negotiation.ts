import { createLimitError } from "@anyscheme/core/plugin";
import { TELNET_OPTION_CODES, type NegotiationVerb } from "./telnet-codes.ts";
import type { TelnetLimits } from "./scheme-options.ts";

/** The Telnet options that each side may enable. */
export interface TelnetOptionPolicy {
  /** The Telnet options that the server may enable. The client answers WILL with DO for these options. */
  readonly remoteOptions: ReadonlySet<number>;
  /** The Telnet options that this client may enable. The client answers DO with WILL for these options. */
  readonly localOptions: ReadonlySet<number>;
}

/** The result of processing a Telnet negotiation command. */
export interface TelnetNegotiationResult {
  /** The answer to a Telnet negotiation, or `undefined` when the option already has the requested state. */
  readonly answer: NegotiationVerb | undefined;
  /** True when the command enabled or disabled the Telnet option. */
  readonly isOptionChanged: boolean;
}

const NO_OPTION_CHANGE: TelnetNegotiationResult = { answer: undefined, isOptionChanged: false };

/**
 * Tracks the Telnet options that each side has enabled. RFC 854 says that "a party may only request a change in option
 * status". An acknowledgement of a Telnet option needs no answer, and each side may always refuse. This client requests
 * no option, so the only states of RFC 1143 are "yes" and "no".
 */
export class TelnetOptionNegotiation {
  readonly #policy: TelnetOptionPolicy;
  readonly #limits: TelnetLimits;
  readonly #remote = new Set<number>();
  readonly #local = new Set<number>();
  #answerCount = 0;

  constructor(policy: TelnetOptionPolicy, limits: TelnetLimits) {
    this.#policy = policy;
    this.#limits = limits;
  }

  /** True when the server has enabled the given option. */
  isRemoteEnabled(option: number): boolean {
    return this.#remote.has(option);
  }

  /** True when this client has enabled the given option. */
  isLocalEnabled(option: number): boolean {
    return this.#local.has(option);
  }

  /**
   * Processes a Telnet negotiation command of the server. Throws `limit` after too many Telnet commands that need an
   * answer.
   */
  receiveCommand(verb: NegotiationVerb, option: number): TelnetNegotiationResult {
    const isRemote = verb === "WILL" || verb === "WONT";
    const enabled = isRemote ? this.#remote : this.#local;
    const enable = verb === "WILL" || verb === "DO";
    // If the server asks again to enable a refused Telnet option, the client refuses the option again. A
    // request for the current state of a Telnet option needs no answer.
    if (enabled.has(option) === enable) return NO_OPTION_CHANGE;
    this.countAnswer();
    if (!enable) {
      enabled.delete(option);
      return { answer: isRemote ? "DONT" : "WONT", isOptionChanged: true };
    }
    const isAccepted = (isRemote ? this.#policy.remoteOptions : this.#policy.localOptions).has(option);
    if (isAccepted) enabled.add(option);
    const answer = isRemote ? (isAccepted ? "DO" : "DONT") : isAccepted ? "WILL" : "WONT";
    return { answer, isOptionChanged: isAccepted };
  }

  /**
   * Counts an answer. Throws `limit` after too many answers to Telnet negotiations, which ends a loop of contradicting
   * negotiations.
   */
  countAnswer(): void {
    if (++this.#answerCount > this.#limits.maxOptionChanges)
      throw createLimitError(
        "maxOptionChanges",
        this.#limits,
        "the server negotiates Telnet options without end",
      );
  }

  /** Resets the number of answers after the user has sent data, because the server may negotiate again in reaction. */
  resetAnswerCount(): void {
    this.#answerCount = 0;
  }
}

/**
 * The name of a Telnet option that the caller can accept. The options for terminal type and window size depend on the
 * options of `connect`.
 */
export type AcceptableTelnetOption = "binary" | "echo" | "suppress-go-ahead";

const ACCEPTABLE_TELNET_OPTIONS: Readonly<Record<AcceptableTelnetOption, number>> = {
  binary: TELNET_OPTION_CODES.BINARY,
  echo: TELNET_OPTION_CODES.ECHO,
  "suppress-go-ahead": TELNET_OPTION_CODES["SUPPRESS-GO-AHEAD"],
};

/** Returns the Telnet options that the client accepts. The Telnet server may echo, but this client never echoes. */
export function createTelnetOptionPolicy(
  accepted: readonly AcceptableTelnetOption[],
  { hasType, hasSize }: { readonly hasType: boolean; readonly hasSize: boolean },
): TelnetOptionPolicy {
  const shared = accepted.flatMap((name) => (name === "echo" ? [] : ACCEPTABLE_TELNET_OPTIONS[name]));
  return {
    remoteOptions: new Set(accepted.map((name) => ACCEPTABLE_TELNET_OPTIONS[name])),
    localOptions: new Set([
      ...shared,
      ...(hasType ? [TELNET_OPTION_CODES["TERMINAL-TYPE"]] : []),
      ...(hasSize ? [TELNET_OPTION_CODES.NAWS] : []),
    ]),
  };
}
