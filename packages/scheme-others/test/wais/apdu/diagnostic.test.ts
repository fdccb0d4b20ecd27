import { describe, expect, it } from "vitest";
import { decodeDiagnostic, DIAGNOSTICS, errorOf } from "../../../src/wais/apdu/diagnostic.ts";

describe("a diagnostic", () => {
  it("has a code, and words on one line without control characters", () => {
    expect(decodeDiagnostic(Buffer.from("S1no\r\n\u001b[2J such  thing\u0000"))).toEqual({
      code: "S1",
      text: "no [2J such thing",
    });
    expect(decodeDiagnostic(Buffer.from([0x53, 0x1b, 0xe9, 1]))).toEqual({ code: "S?", text: "é" });
  });

  it.each(Object.entries(DIAGNOSTICS))("%s is %j", (code, [accessCode, meaning]) => {
    expect(errorOf({ code, text: "" })).toMatchObject({
      code: accessCode,
      what: `the server refuses: ${meaning} [${code}]`,
    });
    expect(errorOf({ code, text: "in its own words" }).what).toBe(
      `the server refuses: in its own words [${code}]`,
    );
  });

  it.each([
    ["S1", "The following database is not available: db/x", "not-found"],
    ["S1", "query syntax error: (x", "unsupported"],
    ["S1", "out of memory", "unavailable"],
    ["S2", "The following database is not available: db/x", "unavailable"],
    ["ZZ", "whatever", "unavailable"],
    ["__", "", "unavailable"],
  ])("%s %s is %s", (code, text, accessCode) => {
    expect(errorOf({ code, text }).code).toBe(accessCode);
  });
});
