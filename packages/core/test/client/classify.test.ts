import { describe, expect, it } from "vitest";
import { AccessError } from "../../src/access-error.ts";
import { classify } from "../../src/client/classify.ts";

describe("classify", () => {
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
    [undefined, "protocol"],
  ])("%s is %s", (code, expected) => {
    const cause = Object.assign(new Error("so it is"), code === undefined ? {} : { code });
    expect(classify(cause)).toMatchObject({ code: expected, what: "so it is", cause });
  });

  it("leaves an AccessError alone", () => {
    const error = new AccessError("limit", "too much");
    expect(classify(error)).toBe(error);
  });

  it.each([
    [new DOMException("This operation was aborted", "AbortError"), "aborted"],
    [AbortSignal.abort().reason, "aborted"],
    ["a text", "protocol"],
    [undefined, "protocol"],
    [null, "protocol"],
  ])("%s is %s", (error, code) => expect(classify(error)).toMatchObject({ code }));
});
