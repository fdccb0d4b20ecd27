import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AccessError } from "../src/access-error.ts";
import { step } from "../src/client/plan.ts";

const operation = {
  name: "dereference",
  url: "x-made://u:****@h/",
  redact: (text: string) => text.replaceAll("needle", "****"),
};

describe("AccessError", () => {
  it("says what failed, where, and what to do", () => {
    const error = new AccessError("refused-port", "port 25 is refused", { advice: "allow it" });
    expect(error.message).toBe("port 25 is refused (allow it)");
    expect(error.at(operation).message).toBe("port 25 is refused: dereference x-made://u:****@h/ (allow it)");
    expect(new AccessError("protocol", "nonsense").at(operation).message).toBe(
      "nonsense: dereference x-made://u:****@h/",
    );
  });

  it("gets its place once", () => {
    const [one, other] = [step("open", "2", "one"), step("open", "2", "other")];
    const error = new AccessError("protocol", "nonsense", { limit: "maxHops" }).at(operation, one);
    expect(error).toMatchObject({
      code: "protocol",
      url: operation.url,
      step: one,
      limit: "maxHops",
      what: "nonsense",
    });
    expect(error.at({ ...operation, url: "x-other:" }, other)).toBe(error);
    expect(new AccessError("protocol", "nonsense", { step: other }).at(operation, one).step).toBe(other);
  });

  it("keeps its cause", () => {
    const cause = new Error("the cause");
    expect(new AccessError("protocol", "nonsense", { cause }).at(operation).cause).toBe(cause);
    expect(new AccessError("protocol", "nonsense").at(operation)).not.toHaveProperty("cause");
  });

  it.each([
    ["in its message", new Error("530 no needle here")],
    ["in a property", Object.assign(new Error("Invalid URL"), { code: "ERR_INVALID_URL", input: "needle" })],
    ["in a cause of its own", new Error("outer", { cause: new Error("needle") })],
    ["in a text", "needle"],
    ["in an object", { answer: ["needle"] }],
  ])("shows no secret that its cause has %s", (_name, cause) => {
    const error = new AccessError("protocol", "the server said needle", {
      cause,
      advice: "ask for needle",
    }).at(operation);
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("needle");
    expect(error.message).toContain("the server said ****");
    if (cause instanceof Error)
      expect(error.cause).toMatchObject({ name: "Error", message: cause.message.replace("needle", "****") });
    if (cause instanceof Error && "code" in cause)
      expect(error.cause).toMatchObject({ code: "ERR_INVALID_URL" });
  });
});
