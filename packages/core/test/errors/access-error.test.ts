import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AccessError, createMaskableServerText } from "../../src/errors/access-error.ts";
import { createStep } from "../../src/scheme/plan.ts";

const errorContext = {
  operationName: "dereference",
  url: "x-made://u:****@h/",
  mask: (text: string) => text.replaceAll("needle", "****"),
};

describe("AccessError", () => {
  it("the message of an AccessError has the reason, the operation, the URL and the advice", () => {
    const error = new AccessError("refused-port", "port 25 is refused", { advice: "allow it" });
    expect(error.message).toBe("port 25 is refused (allow it)");
    expect(error.withContext(errorContext).message).toBe(
      "port 25 is refused: dereference x-made://u:****@h/ (allow it)",
    );
    expect(new AccessError("protocol", "nonsense").withContext(errorContext).message).toBe(
      "nonsense: dereference x-made://u:****@h/",
    );
  });

  it("AccessError.withContext adds operation and URL only once", () => {
    const [one, other] = [createStep("open", "2", "one"), createStep("open", "2", "other")];
    const error = new AccessError("protocol", "nonsense", { limit: "maxRedirects" }).withContext(
      errorContext,
      one,
    );
    expect(error).toMatchObject({
      code: "protocol",
      url: errorContext.url,
      step: one,
      limit: "maxRedirects",
      reason: "nonsense",
    });
    expect(error.withContext({ ...errorContext, url: "x-other:" }, other)).toBe(error);
    expect(new AccessError("protocol", "nonsense", { step: other }).withContext(errorContext, one).step).toBe(
      other,
    );
  });

  it("AccessError.withContext keeps the cause", () => {
    const cause = new Error("the cause");
    const { operationName, url } = errorContext;
    expect(new AccessError("protocol", "nonsense", { cause }).withContext({ operationName, url }).cause).toBe(
      cause,
    );
    expect(new AccessError("protocol", "nonsense").withContext(errorContext)).not.toHaveProperty("cause");
  });

  it.each([
    ["in its message", new Error("530 no needle here")],
    ["in a property", Object.assign(new Error("Invalid URL"), { code: "ERR_INVALID_URL", input: "needle" })],
    ["in its own cause", new Error("outer", { cause: new Error("needle") })],
    ["in a text", "needle"],
    ["in an object", { answer: ["needle"] }],
  ])("AccessError.withContext masks a secret that the cause has %s", (_name, cause) => {
    const error = new AccessError("protocol", ["the server said ", createMaskableServerText("needle")], {
      cause,
      advice: ["ask for ", createMaskableServerText("needle")],
    }).withContext(errorContext);
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("needle");
    expect(error.message).toBe("the server said ****: dereference x-made://u:****@h/ (ask for ****)");
    if (cause instanceof Error)
      expect(error.cause).toMatchObject({ name: "Error", message: cause.message.replace("needle", "****") });
    if (cause instanceof Error && "code" in cause)
      expect(error.cause).toMatchObject({ code: "ERR_INVALID_URL" });
  });

  it("AccessError.withContext masks server texts only, and no other part of the message", () => {
    const error = new AccessError("authentication-required", "a login is required for needle", {
      advice: "set the password of needle",
    });
    expect(error.withContext(errorContext).message).toBe(
      "a login is required for needle: dereference x-made://u:****@h/ (set the password of needle)",
    );
  });

  it("server texts are masked in an error that repeats them, and in a cause", () => {
    const first = new AccessError("not-found", ["550 ", createMaskableServerText("needle")]);
    const second = new AccessError("incomplete", first.messageParts, { cause: first }).withContext(
      errorContext,
    );
    expect(second.reason).toBe("550 ****");
    expect(second.cause).toMatchObject({ code: "not-found", reason: "550 ****" });
    expect(inspect(second)).not.toContain("needle");
  });

  it.each([
    [
      "an error of the operating system",
      "unavailable",
      Object.assign(new Error("needle"), { errno: -2, code: "ENOENT", syscall: "open" }),
    ],
    ["the abort reason of the caller", "aborted", new Error("needle")],
  ] as const)("AccessError.withContext does not change a cause that is %s", (_, code, cause) => {
    expect(new AccessError(code, "nonsense", { cause }).withContext(errorContext).cause).toBe(cause);
  });
});
