import { describe, expect, it } from "vitest";
import { planNntp } from "../../src/nntp/plan.ts";
import { nntpsSyntax, nntpSyntax } from "@anyscheme/scheme-others/nntp/syntax";

/** Returns the action and description of each unconditional step, with the expected replies in brackets. */
function formatUnconditionalSteps(
  text: string,
  ...rest: [Parameters<typeof planNntp>[1]?, Parameters<typeof planNntp>[2]?]
): string[] {
  const url = text.startsWith("nntps:") ? nntpsSyntax.parse(text) : nntpSyntax.parse(text);
  return planNntp(url, ...rest)
    .steps.filter(({ onReply: when }) => when === undefined)
    .map((step) =>
      step.action === "expect" ? `[${step.expectReplies?.join(" ")}]` : `${step.action} ${step.description}`,
    );
}

const GREETING_STEP_DESCRIPTIONS = ["[200 201]", "send CAPABILITIES", "[101 480 5]"];
const CLOSE_STEP_DESCRIPTION =
  "close the connection, unless the pool keeps the connection for another request";

// RFC 1738 §3.7
describe("planNntp plans the steps for an nntp URL", () => {
  it("planNntp plans the selection of the group and the retrieval of the article", () => {
    expect(formatUnconditionalSteps("nntp://news.example.org/comp.lang.c/42")).toEqual([
      "resolve news.example.org",
      "connect news.example.org port 119",
      ...GREETING_STEP_DESCRIPTIONS,
      "send GROUP comp.lang.c",
      "[211 480]",
      "send ARTICLE 42",
      "[220 480]",
      "transfer the article, up to a line with a single dot",
      CLOSE_STEP_DESCRIPTION,
    ]);
  });

  it("planNntp decodes an escaped group name that only modern mode accepts", () => {
    expect(formatUnconditionalSteps("nntp://h.dom/comp.lang.c%2B%2B")).toContain("send GROUP comp.lang.c++");
  });

  it("planNntp lists a group with the oldest or the newest article first", () => {
    expect(formatUnconditionalSteps("nntp://10.0.0.1:1119/comp.lang.c").slice(1)).toEqual([
      ...GREETING_STEP_DESCRIPTIONS,
      "send GROUP comp.lang.c",
      "[211 480]",
      "send OVER 1-",
      "[224 420 423 5 480]",
      "transfer one line for each article, up to a line with a single dot",
      CLOSE_STEP_DESCRIPTION,
    ]);
    const newest = planNntp(nntpSyntax.parse("nntp://h.dom/comp.lang.c"), { order: "newest-first" });
    const overSteps = newest.steps.filter(({ command }) => command === "OVER");
    expect(overSteps.map(({ bytes, onReply }) => [bytes, onReply])).toEqual([
      [undefined, undefined],
      [undefined, "281"],
    ]);
  });

  it("planNntp lists the groups of a server for a URL without a group", () => {
    expect(formatUnconditionalSteps("nntp://10.0.0.1/").slice(4)).toEqual([
      "send LIST NEWSGROUPS",
      "[215 403 5 480]",
      "send LIST ACTIVE",
      "[215 5 480]",
      "transfer one line for each group, up to a line with a single dot",
      CLOSE_STEP_DESCRIPTION,
    ]);
  });

  it("planNntp retrieves an article over TLS with startTls and with nntps", () => {
    expect(formatUnconditionalSteps("nntps://h.dom/a/1").slice(0, 4)).toEqual([
      "resolve h.dom",
      "connect h.dom port 563",
      "tls TLS with h.dom",
      "[200 201]",
    ]);
    const upgraded = formatUnconditionalSteps("nntp://h.dom/a/1", {}, { startTls: "require" });
    expect(upgraded.slice(2, 7)).toEqual([
      "[200 201]",
      "send STARTTLS",
      "[382 401]",
      "tls TLS with h.dom",
      "send CAPABILITIES",
    ]);
    expect(formatUnconditionalSteps("nntps://h.dom/a/1", {}, { startTls: "require" })).not.toContain(
      "send STARTTLS",
    );
  });

  it("planNntp plans a login and a repeated command if the server requires a login", () => {
    const steps = planNntp(nntpSyntax.parse("nntp://h.dom/a/1")).steps;
    const at = steps.findIndex(({ description: text }) => text === "ARTICLE 1");
    const login = steps
      .slice(at + 2, at + 8)
      .map(({ action, onReply: when, description: text }) => [action, when, text]);
    expect(login).toEqual([
      ["send", "480", "AUTHINFO USER (if required)"],
      ["expect", "480", "281: the login is complete; 381: the server requires a password"],
      ["send", "381", "AUTHINFO PASS **** (if required)"],
      ["expect", "381", "281: the login is complete"],
      ["send", "281", "ARTICLE 1"],
      ["expect", "281", "220: the article follows"],
    ]);
  });
});
