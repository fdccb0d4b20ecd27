import { describe, expect, it } from "vitest";
import {
  createExpectReplyStep,
  createPlan,
  createSendStep,
  createStep,
  type Plan,
  type Step,
  planUsesNetwork,
  isSamePlan,
} from "../../src/scheme/plan.ts";
import { createGenericSyntax } from "../../src/syntax/index.ts";

const opaqueUrl = createGenericSyntax().parse("x-any:a");
const createConnectStep = (host: string, port: number): Step => ({
  action: "connect",
  spec: "1",
  description: "",
  target: { host, port },
});
const createTextStep = (text: string, when?: string): Step =>
  createSendStep(Buffer.from(text), "1", `sends ${text}`, { onReply: when });
const createTestPlan = (...steps: Step[]): Plan => createPlan(opaqueUrl, steps);

describe("isSamePlan", () => {
  const rows: [name: string, one: Plan, other: Plan, same: boolean][] = [
    [
      "no property",
      createTestPlan(createConnectStep("h", 1), createTextStep("a")),
      createTestPlan(createConnectStep("h", 1), createTextStep("a")),
      true,
    ],
    ["the bytes of a step", createTestPlan(createTextStep("a")), createTestPlan(createTextStep("b")), false],
    [
      "a step whose bytes come from a callback",
      createTestPlan(createSendStep(undefined, "1", "")),
      createTestPlan(createTextStep("")),
      false,
    ],
    ["the host", createTestPlan(createConnectStep("h", 1)), createTestPlan(createConnectStep("i", 1)), false],
    ["the port", createTestPlan(createConnectStep("h", 1)), createTestPlan(createConnectStep("h", 2)), false],
    [
      "the condition of a step",
      createTestPlan(createTextStep("a", "331")),
      createTestPlan(createTextStep("a", "332")),
      false,
    ],
    [
      "the expected reply",
      createTestPlan(createExpectReplyStep(["2"], "1", "")),
      createTestPlan(createExpectReplyStep(["3"], "1", "")),
      false,
    ],
    [
      "the action of a step",
      createTestPlan(createStep("open", "1", "")),
      createTestPlan(createStep("close", "1", "")),
      false,
    ],
    [
      "the order of the steps",
      createTestPlan(createTextStep("a"), createTextStep("b")),
      createTestPlan(createTextStep("b"), createTextStep("a")),
      false,
    ],
    [
      "an additional step",
      createTestPlan(createTextStep("a")),
      createTestPlan(createTextStep("a"), createStep("close", "1", "")),
      false,
    ],
    [
      "the description and section of a step",
      createTestPlan(createStep("open", "1", "a")),
      createTestPlan(createStep("open", "2", "b")),
      true,
    ],
  ];
  it.each(rows)("isSamePlan compares two plans that differ in %s", (_, one, other, same) => {
    expect(isSamePlan(one, other)).toBe(same);
    expect(isSamePlan(other, one)).toBe(same);
  });
});

describe("planUsesNetwork", () => {
  it.each([
    ["a connect step", createTestPlan(createConnectStep("h", 1)), true],
    ["a send step", createTestPlan(createTextStep("")), true],
    ["neither a connect step nor a send step", createTestPlan(createStep("redirect", "1", "")), false],
  ])("planUsesNetwork examines a plan with %s", (_, one, reaches) => {
    expect(planUsesNetwork(one)).toBe(reaches);
  });
});
