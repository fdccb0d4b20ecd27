import { describe, expect, it } from "vitest";
import { AccessError, toAccessError } from "../../src/errors/access-error.ts";
import { createGenericSyntax, UrlSyntaxError } from "../../src/syntax/index.ts";

describe("toAccessError", () => {
  it.each([
    ["ECONNREFUSED", "unavailable"],
    ["EHOSTUNREACH", "unavailable"],
    ["ENETUNREACH", "unavailable"],
    ["EADDRNOTAVAIL", "unavailable"],
    ["ENOTFOUND", "unavailable"],
    ["EAI_AGAIN", "unavailable"],
    ["EPROTO", "protocol"],
    ["ETIMEDOUT", "timeout"],
    ["ECONNRESET", "incomplete"],
    ["EPIPE", "incomplete"],
    ["ENOENT", "not-found"],
    ["ENOTDIR", "not-found"],
    ["EACCES", "permission-denied"],
    ["EPERM", "permission-denied"],
    ["ELOOP", "permission-denied"],
    ["EWHATEVER", "protocol"],
    ["constructor", "protocol"],
  ])("toAccessError converts the error %s to the code %s", (code, expected) => {
    const cause = Object.assign(new Error("so it is"), { code });
    expect(toAccessError(cause)).toMatchObject({ code: expected, reason: "so it is", cause });
  });

  it("toAccessError returns an AccessError unchanged", () => {
    const error = new AccessError("limit", "too much");
    expect(toAccessError(error)).toBe(error);
  });

  it.each([
    [new DOMException("This operation was aborted", "AbortError"), "aborted"],
    [AbortSignal.abort().reason, "aborted"],
    [Object.assign(new RangeError("out of range"), { code: "ERR_OUT_OF_RANGE" }), "plugin"],
    ["a text", "plugin"],
    [undefined, "plugin"],
    [null, "plugin"],
    [new TypeError("x is not a function"), "plugin"],
    [Object.assign(new Error("an error with a number as its code"), { code: 5 }), "plugin"],
  ])("toAccessError converts the error %s to the code %s", (error, code) =>
    expect(toAccessError(error)).toMatchObject({ code }),
  );

  it("toAccessError converts a UrlSyntaxError to the code protocol", () => {
    const { fault } = createGenericSyntax({ schemes: ["x-a"] }).tryParse("x-a:\n.");
    if (!fault) throw new Error("no fault");
    expect(toAccessError(new UrlSyntaxError(fault))).toMatchObject({ code: "protocol" });
  });
});
