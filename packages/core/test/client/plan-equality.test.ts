import { describe, expect, it } from "vitest";
import {
  expectStep,
  makePlan,
  sendStep,
  createStep,
  type Plan,
  type Step,
  usesNetwork,
  isSamePlan,
} from "../../src/scheme/plan.ts";
import { genericSyntax } from "../../src/syntax/index.ts";

const url = genericSyntax().parse("x-any:a");
const connect = (host: string, port: number): Step => ({
  action: "connect",
  spec: "1",
  description: "",
  target: { host, port },
});
const send = (text: string, when?: string): Step =>
  sendStep(Buffer.from(text), "1", `sends ${text}`, { onReply: when });
const plan = (...steps: Step[]): Plan => makePlan(url, steps);

describe("isSamePlan", () => {
  const rows: [name: string, one: Plan, other: Plan, same: boolean][] = [
    ["the same bytes", plan(connect("h", 1), send("a")), plan(connect("h", 1), send("a")), true],
    ["other bytes", plan(send("a")), plan(send("b")), false],
    ["no bytes, which are asked for", plan(sendStep(undefined, "1", "")), plan(send("")), false],
    ["another host", plan(connect("h", 1)), plan(connect("i", 1)), false],
    ["another port", plan(connect("h", 1)), plan(connect("h", 2)), false],
    ["another condition", plan(send("a", "331")), plan(send("a", "332")), false],
    ["another reply", plan(expectStep(["2"], "1", "")), plan(expectStep(["3"], "1", "")), false],
    ["another action", plan(createStep("open", "1", "")), plan(createStep("close", "1", "")), false],
    ["another order", plan(send("a"), send("b")), plan(send("b"), send("a")), false],
    ["a step more", plan(send("a")), plan(send("a"), createStep("close", "1", "")), false],
    [
      "another text and section",
      plan(createStep("open", "1", "a")),
      plan(createStep("open", "2", "b")),
      true,
    ],
  ];
  it.each(rows)("isSamePlan compares two plans that differ in: %s", (_, one, other, same) => {
    expect(isSamePlan(one, other)).toBe(same);
    expect(isSamePlan(other, one)).toBe(same);
  });
});

describe("usesNetwork", () => {
  it.each([
    ["a connection", plan(connect("h", 1)), true],
    ["bytes", plan(send("")), true],
    ["neither", plan(createStep("redirect", "1", "")), false],
  ])("usesNetwork examines a plan with %s", (_, one, reaches) => {
    expect(usesNetwork(one)).toBe(reaches);
  });
});
