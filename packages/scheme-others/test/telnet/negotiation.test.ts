import { telnet } from "@anyscheme/scheme-others/telnet";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AcceptableTelnetOption,
  createTelnetOptionPolicy,
  TelnetOptionNegotiation,
} from "../../src/telnet/negotiation.ts";
import {
  TELNET_OPTION_CODES,
  formatTelnetOptionName,
  type NegotiationVerb,
} from "../../src/telnet/telnet-codes.ts";

const TELNET_DEFAULT_LIMITS = mergeDefaultLimitsOfSchemes([telnet()]);

const ALL_ACCEPTED_OPTIONS: readonly AcceptableTelnetOption[] = ["binary", "echo", "suppress-go-ahead"];
const SUPPRESS_GO_AHEAD = TELNET_OPTION_CODES["SUPPRESS-GO-AHEAD"];
const { BINARY, ECHO, NAWS, LINEMODE } = TELNET_OPTION_CODES;
const TERMINAL_TYPE = TELNET_OPTION_CODES["TERMINAL-TYPE"];

function runTelnetNegotiation(
  accepted: readonly AcceptableTelnetOption[],
  hasTerminal: boolean,
  commands: readonly (readonly [verb: NegotiationVerb, option: number])[],
): (string | undefined)[] {
  const negotiation = new TelnetOptionNegotiation(
    createTelnetOptionPolicy(accepted, { hasType: hasTerminal, hasSize: hasTerminal }),
    TELNET_DEFAULT_LIMITS,
  );
  return commands.map(([verb, option]) => negotiation.receiveCommand(verb, option).answer);
}

describe("the client negotiates Telnet options", () => {
  const rows: [verb: NegotiationVerb, option: number, refused: NegotiationVerb, accepted: NegotiationVerb][] =
    [
      ["WILL", ECHO, "DONT", "DO"],
      ["DO", ECHO, "WONT", "WONT"],
      ["WILL", SUPPRESS_GO_AHEAD, "DONT", "DO"],
      ["DO", SUPPRESS_GO_AHEAD, "WONT", "WILL"],
      ["WILL", BINARY, "DONT", "DO"],
      ["DO", BINARY, "WONT", "WILL"],
      ["DO", TERMINAL_TYPE, "WONT", "WILL"],
      ["WILL", TERMINAL_TYPE, "DONT", "DONT"],
      ["DO", NAWS, "WONT", "WILL"],
      ["WILL", NAWS, "DONT", "DONT"],
      ["DO", LINEMODE, "WONT", "WONT"],
      ["WILL", TELNET_OPTION_CODES.AUTHENTICATION, "DONT", "DONT"],
      ["DO", TELNET_OPTION_CODES["NEW-ENVIRON"], "WONT", "WONT"],
      ["DO", TELNET_OPTION_CODES["TIMING-MARK"], "WONT", "WONT"],
      ["WILL", 255, "DONT", "DONT"],
    ];
  it.each(rows)(
    "the client answers %s of the option %i with %s, or with %s if the option is accepted",
    (verb, option, refused, accepted) => {
      expect(runTelnetNegotiation([], false, [[verb, option]])).toEqual([refused]);
      expect(runTelnetNegotiation(ALL_ACCEPTED_OPTIONS, true, [[verb, option]])).toEqual([accepted]);
    },
  );

  it("the client refuses all 256 options by default", () => {
    for (let option = 0; option < 256; option++)
      expect(
        runTelnetNegotiation([], false, [
          ["DO", option],
          ["WILL", option],
        ]),
        formatTelnetOptionName(option),
      ).toEqual(["WONT", "DONT"]);
  });

  const negotiations: [
    said: [verb: NegotiationVerb, option: number][],
    answered: (NegotiationVerb | undefined)[],
  ][] = [
    // RFC 854: a party "may not send out a "request" merely to announce what mode it is in". A client sends no answer
    // to a request for the current state.
    [
      [
        ["WILL", ECHO],
        ["WILL", ECHO],
      ],
      ["DO", undefined],
    ],
    [[["WONT", ECHO]], [undefined]],
    [[["DONT", SUPPRESS_GO_AHEAD]], [undefined]],
    [
      [
        ["WILL", ECHO],
        ["WONT", ECHO],
        ["WONT", ECHO],
      ],
      ["DO", "DONT", undefined],
    ],
    [
      [
        ["DO", SUPPRESS_GO_AHEAD],
        ["DONT", SUPPRESS_GO_AHEAD],
        ["DO", SUPPRESS_GO_AHEAD],
      ],
      ["WILL", "WONT", "WILL"],
    ],
    // The client refuses every repetition of a refused request again.
    [
      [
        ["WILL", LINEMODE],
        ["WILL", LINEMODE],
      ],
      ["DONT", "DONT"],
    ],
    // The two directions of an option are independent.
    [
      [
        ["WILL", BINARY],
        ["DO", BINARY],
        ["WONT", BINARY],
      ],
      ["DO", "WILL", "DONT"],
    ],
  ];
  it.each(negotiations)("the client answers the negotiation commands %j with %j", (commands, answered) => {
    expect(runTelnetNegotiation(ALL_ACCEPTED_OPTIONS, true, commands)).toEqual(answered);
  });

  it("the client stores the option state that the last answer implies", () => {
    const verbs = fc.constantFrom<NegotiationVerb>("WILL", "WONT", "DO", "DONT");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(verbs, fc.constantFrom(BINARY, ECHO, SUPPRESS_GO_AHEAD, LINEMODE)), {
          maxLength: 60,
        }),
        (commands) => {
          const negotiation = new TelnetOptionNegotiation(
            createTelnetOptionPolicy(ALL_ACCEPTED_OPTIONS, { hasType: true, hasSize: true }),
            TELNET_DEFAULT_LIMITS,
          );
          const remote = new Map<number, boolean>();
          const local = new Map<number, boolean>();
          for (const [verb, option] of commands) {
            const { answer, isOptionChanged: changed } = negotiation.receiveCommand(verb, option);
            const side = verb === "WILL" || verb === "WONT" ? remote : local;
            const before = side.get(option) ?? false;
            if (answer === "DO" || answer === "WILL") side.set(option, true);
            if (answer === "DONT" || answer === "WONT") side.set(option, false);
            expect(changed).toBe(before !== (side.get(option) ?? false));
            expect(negotiation.isRemoteEnabled(option)).toBe(remote.get(option) ?? false);
            expect(negotiation.isLocalEnabled(option)).toBe(local.get(option) ?? false);
          }
        },
      ),
    );
  });
});

describe("the client limits Telnet negotiations", () => {
  const negotiateRepeatedly = (
    commands: (turn: number) => NegotiationVerb,
    bound: number,
  ): TelnetOptionNegotiation => {
    const negotiation = new TelnetOptionNegotiation(
      createTelnetOptionPolicy(ALL_ACCEPTED_OPTIONS, { hasType: true, hasSize: true }),
      mergeLimits({ maxOptionChanges: bound }, TELNET_DEFAULT_LIMITS),
    );
    for (let turn = 0; turn < bound; turn++) negotiation.receiveCommand(commands(turn), ECHO);
    return negotiation;
  };

  it.each([1, 64])("the client ends a negotiation loop after %i answers", (bound) => {
    for (const commands of [
      (): NegotiationVerb => "DO",
      (turn: number): NegotiationVerb => (turn % 2 ? "WONT" : "WILL"),
    ]) {
      const negotiation = negotiateRepeatedly(commands, bound);
      expect(() => negotiation.receiveCommand(commands(bound), ECHO)).toThrow(
        expect.objectContaining({ code: "limit", limit: "maxOptionChanges" }),
      );
    }
  });

  it("the client resets the number of answers after the user sends data", () => {
    const negotiation = negotiateRepeatedly(() => "DO", 64);
    negotiation.resetAnswerCount();
    expect(negotiation.receiveCommand("DO", ECHO).answer).toBe("WONT");
  });
});
