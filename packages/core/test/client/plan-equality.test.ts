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

const opaqueUrl = genericSyntax().parse("x-any:a");
const createConnectStep = (host: string, port: number): Step => ({
  action: "connect",
  spec: "1",
  description: "",
  target: { host, port },
});
const createSendStep = (text: string, when?: string): Step =>
  sendStep(Buffer.from(text), "1", `sends ${text}`, { onReply: when });
const createTestPlan = (...steps: Step[]): Plan => makePlan(opaqueUrl, steps);

describe("isSamePlan", () => {
  const rows: [name: string, one: Plan, other: Plan, same: boolean][] = [
    [
      "the same bytes",
      createTestPlan(createConnectStep("h", 1), createSendStep("a")),
      createTestPlan(createConnectStep("h", 1), createSendStep("a")),
      true,
    ],
    ["other bytes", createTestPlan(createSendStep("a")), createTestPlan(createSendStep("b")), false],
    [
      "a step whose bytes come from a callback",
      createTestPlan(sendStep(undefined, "1", "")),
      createTestPlan(createSendStep("")),
      false,
    ],
    [
      "another host",
      createTestPlan(createConnectStep("h", 1)),
      createTestPlan(createConnectStep("i", 1)),
      false,
    ],
    [
      "another port",
      createTestPlan(createConnectStep("h", 1)),
      createTestPlan(createConnectStep("h", 2)),
      false,
    ],
    [
      "another condition",
      createTestPlan(createSendStep("a", "331")),
      createTestPlan(createSendStep("a", "332")),
      false,
    ],
    [
      "another reply",
      createTestPlan(expectStep(["2"], "1", "")),
      createTestPlan(expectStep(["3"], "1", "")),
      false,
    ],
    [
      "another action",
      createTestPlan(createStep("open", "1", "")),
      createTestPlan(createStep("close", "1", "")),
      false,
    ],
    [
      "another order",
      createTestPlan(createSendStep("a"), createSendStep("b")),
      createTestPlan(createSendStep("b"), createSendStep("a")),
      false,
    ],
    [
      "a step more",
      createTestPlan(createSendStep("a")),
      createTestPlan(createSendStep("a"), createStep("close", "1", "")),
      false,
    ],
    [
      "another text and section",
      createTestPlan(createStep("open", "1", "a")),
      createTestPlan(createStep("open", "2", "b")),
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
    ["a connection", createTestPlan(createConnectStep("h", 1)), true],
    ["bytes", createTestPlan(createSendStep("")), true],
    ["neither", createTestPlan(createStep("redirect", "1", "")), false],
  ])("usesNetwork examines a plan with %s", (_, one, reaches) => {
    expect(usesNetwork(one)).toBe(reaches);
  });
});
