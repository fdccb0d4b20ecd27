import { DEFAULT_LIMITS } from "@anyscheme/core";
import { mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AcceptedOption, acceptedOptions, Negotiation } from "../../src/telnet/negotiation.ts";
import { OPTIONS, formatOption, type Verb } from "../../src/telnet/constants.ts";

const ALL: readonly AcceptedOption[] = ["binary", "echo", "suppress-go-ahead"];
const SGA = OPTIONS["SUPPRESS-GO-AHEAD"];
const { BINARY, ECHO, NAWS, LINEMODE } = OPTIONS;
const TTYPE = OPTIONS["TERMINAL-TYPE"];

function answers(
  accepted: readonly AcceptedOption[],
  hasTerminal: boolean,
  commands: readonly (readonly [verb: Verb, option: number])[],
): (string | undefined)[] {
  const negotiation = new Negotiation(
    acceptedOptions(accepted, { hasType: hasTerminal, hasSize: hasTerminal }),
    DEFAULT_LIMITS,
  );
  return commands.map(([verb, option]) => negotiation.receive(verb, option).answer);
}

describe("the negotiation of Telnet options", () => {
  const rows: [verb: Verb, option: number, refused: Verb, accepted: Verb][] = [
    ["WILL", ECHO, "DONT", "DO"],
    ["DO", ECHO, "WONT", "WONT"],
    ["WILL", SGA, "DONT", "DO"],
    ["DO", SGA, "WONT", "WILL"],
    ["WILL", BINARY, "DONT", "DO"],
    ["DO", BINARY, "WONT", "WILL"],
    ["DO", TTYPE, "WONT", "WILL"],
    ["WILL", TTYPE, "DONT", "DONT"],
    ["DO", NAWS, "WONT", "WILL"],
    ["WILL", NAWS, "DONT", "DONT"],
    ["DO", LINEMODE, "WONT", "WONT"],
    ["WILL", OPTIONS.AUTHENTICATION, "DONT", "DONT"],
    ["DO", OPTIONS["NEW-ENVIRON"], "WONT", "WONT"],
    ["DO", OPTIONS["TIMING-MARK"], "WONT", "WONT"],
    ["WILL", 255, "DONT", "DONT"],
  ];
  it.each(rows)(
    "answers %s of the option %i with %s, or with %s if the option is accepted",
    (verb, option, refused, accepted) => {
      expect(answers([], false, [[verb, option]])).toEqual([refused]);
      expect(answers(ALL, true, [[verb, option]])).toEqual([accepted]);
    },
  );

  it("refuses all 256 options by default", () => {
    for (let option = 0; option < 256; option++)
      expect(
        answers([], false, [
          ["DO", option],
          ["WILL", option],
        ]),
        formatOption(option),
      ).toEqual(["WONT", "DONT"]);
  });

  const courses: [said: [verb: Verb, option: number][], answered: (Verb | undefined)[]][] = [
    // RFC 854: a party "may not send out a "request" merely to announce what mode it is in". Such a request gets no
    // answer.
    [
      [
        ["WILL", ECHO],
        ["WILL", ECHO],
      ],
      ["DO", undefined],
    ],
    [[["WONT", ECHO]], [undefined]],
    [[["DONT", SGA]], [undefined]],
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
        ["DO", SGA],
        ["DONT", SGA],
        ["DO", SGA],
      ],
      ["WILL", "WONT", "WILL"],
    ],
    // Every repetition of a refused request is refused again.
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
  it.each(courses)("answers the negotiation commands %j with %j", (commands, answered) => {
    expect(answers(ALL, true, commands)).toEqual(answered);
  });

  it("stores the option state that the last answer implies", () => {
    const verbs = fc.constantFrom<Verb>("WILL", "WONT", "DO", "DONT");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(verbs, fc.constantFrom(BINARY, ECHO, SGA, LINEMODE)), { maxLength: 60 }),
        (commands) => {
          const negotiation = new Negotiation(
            acceptedOptions(ALL, { hasType: true, hasSize: true }),
            DEFAULT_LIMITS,
          );
          const remote = new Map<number, boolean>();
          const local = new Map<number, boolean>();
          for (const [verb, option] of commands) {
            const { answer, changed } = negotiation.receive(verb, option);
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

describe("the limit on Telnet negotiations", () => {
  const looping = (commands: (turn: number) => Verb, bound: number): Negotiation => {
    const negotiation = new Negotiation(
      acceptedOptions(ALL, { hasType: true, hasSize: true }),
      mergeLimits({ maxOptionChanges: bound }),
    );
    for (let turn = 0; turn < bound; turn++) negotiation.receive(commands(turn), ECHO);
    return negotiation;
  };

  it.each([1, 64])("ends a negotiation loop after %i answers", (bound) => {
    for (const commands of [(): Verb => "DO", (turn: number): Verb => (turn % 2 ? "WONT" : "WILL")]) {
      const negotiation = looping(commands, bound);
      expect(() => negotiation.receive(commands(bound), ECHO)).toThrow(
        expect.objectContaining({ code: "limit", limit: "maxOptionChanges" }),
      );
    }
  });

  it("resets the number of answers after the user sends data", () => {
    const negotiation = looping(() => "DO", 64);
    negotiation.resetAnswerCount();
    expect(negotiation.receive("DO", ECHO).answer).toBe("WONT");
  });
});
