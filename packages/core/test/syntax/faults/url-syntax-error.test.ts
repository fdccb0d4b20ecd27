import { describe, expect, it } from "vitest";
import { formatRfcSection, createInvalidPartsError, UrlSyntaxError } from "../../../src/syntax/index.ts";
import { sampleSyntax } from "../sample-syntax.ts";

describe("formatRfcSection", () => {
  it.each([
    ["2", "§2"],
    ["3.2.1", "§3.2.1"],
    ["Appendix", "Appendix"],
  ])("formatRfcSection formats the section %s as %s", (section, name) =>
    expect(formatRfcSection(section)).toBe(name),
  );
});

describe("createInvalidPartsError", () => {
  it("createInvalidPartsError creates an error with the offset 0 and the length 0", () => {
    expect(
      createInvalidPartsError(
        { code: "bad-path", section: "3.8", message: "only a '/' may follow the host" },
        "leave it out",
      ),
    ).toMatchObject({
      code: "bad-path",
      index: 0,
      length: 0,
      section: "3.8",
      suggestion: "leave it out",
      message: "only a '/' may follow the host (offset 0, RFC 1738 §3.8): leave it out",
    });
  });
});

describe("UrlSyntaxError", () => {
  it("the message of UrlSyntaxError contains the fault, the offset, the section and a suggestion", () => {
    const error = getThrownError("x-sample://h/a\tb");
    expect(error).toBeInstanceOf(UrlSyntaxError);
    expect(error).toMatchObject({
      code: "control",
      index: 14,
      length: 1,
      section: "2.2",
      suggestion: 'write "%09"',
    });
    expect(error.message).toBe(
      'a control character has to be encoded (offset 14, RFC 1738 §2.2): write "%09"',
    );
  });

  it.each([
    "x-sample://u:needle@h h/",
    "x-sample://u:needle@h:x/",
    "x-sample://u:needle@1.2/",
    "x-sample://u:needle@/",
    "x-sample://u:needle@needle@h/",
    "x-sample://u:needle needle@h/",
    "x-sample://u:needle/needle@h/",
    "x-sample://u:needle:needle@h/",
    "x-sample://u:needle\\@h/",
    "x-sample://u:%needle@h/",
    "x-sample://u:needle@h/\t.",
    "x-sample:u:needle@h/",
    "y-sample://u:needle@h/",
    "//u:needle@h/",
    "u:needle@h",
  ])("the error for the invalid URL %s does not contain its password", (text) => {
    const error = getThrownError(text);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain("needle");
  });
});

function getThrownError(text: string): UrlSyntaxError {
  try {
    sampleSyntax.parse(text);
  } catch (error) {
    return error as UrlSyntaxError;
  }
  throw new Error(`${text} was read`);
}
