import { describe, expect, it } from "vitest";
import {
  PROSPERO_ERRORS_BY_FAILURE_CODE,
  createProsperoFailureError,
  parseProsperoReplyLine,
} from "../../../src/prospero/protocol/reply-line.ts";

describe("the client converts FAILURE lines to errors", () => {
  const rows = [
    ["FAILURE NOT-FOUND", "not-found"],
    ["FAILURE NOT-A-DIRECTORY", "not-found"],
    ["FAILURE NOT-AUTHORIZED", "permission-denied"],
    ["FAILURE ALREADY-EXISTS (NULL POINTER)", "protocol"],
    ["FAILURE NAME-CONFLICT other", "protocol"],
    ["FAILURE SERVER-FAILED Undefined error 122 (prospero)", "unavailable"],
    ["FAILURE TOO-MANY", "unavailable"],
    ["FAILURE UNIMPLEMENTED", "unsupported"],
    ["FAILURE AUTHENTICATION-REQUIRED", "authentication-required"],
    ["FAILURE AUTHENTICATION-DATA", "permission-denied"],
    ["FAILURE AMBIGUOUS", "not-found"],
    ["FAILURE BAD-VALUE", "protocol"],
    ["FAILURE FILTER-APPLICATION", "protocol"],
    ["FAILURE OUT-OF-DATE Please update your clients to Prospero version 5.", "unsupported"],
    ["FAILURE SOMETHING-ELSE", "protocol"],
    ["FAILURE constructor", "protocol"],
    ["FAILURE", "protocol"],
    ["ERROR ERROR Received empty Prospero request packet", "protocol"],
    ["VERSION-NOT-SUPPORTED TRY 1-5", "unsupported"],
  ] as const;

  it.each(rows)("the client converts the failure line %j to the error code %s", (line, code) => {
    const read = parseProsperoReplyLine(line);
    if (read.kind !== "failure") throw new Error(read.kind);
    const error = createProsperoFailureError(read);
    expect(error.code).toBe(code);
    expect(error.message).toContain(line.replace(/^(?:FAILURE|ERROR|VERSION-NOT-SUPPORTED) ?/, ""));
  });

  it("the test rows contain every failure code that the client knows", () => {
    const lines = rows.map(([line]) => ` ${line} `);
    expect(
      Object.keys(PROSPERO_ERRORS_BY_FAILURE_CODE).filter(
        (code) => !lines.some((line) => line.includes(` ${code} `)),
      ),
    ).toEqual([]);
  });

  it("the client removes control characters of the server from error messages", () => {
    const read = parseProsperoReplyLine("FAILURE NOT-FOUND '\x1b[2J\nhere\x07' caf\xc3\xa9");
    if (read.kind !== "failure") throw new Error(read.kind);
    expect(createProsperoFailureError(read).message).toBe("the server refuses: NOT-FOUND [2J here café");
  });

  it.each([
    [
      "ERROR GET-OBJECT-INFO Unknown' Attribute Value type: 15'",
      "GET-OBJECT-INFO Unknown Attribute Value type: 15",
    ],
    ["FAILURE SERVER-FAILED '/tmp/it''s'  '' full", "SERVER-FAILED /tmp/it's full"],
    ["VERSION-NOT-SUPPORTED TRY' 1-5'", "TRY 1-5"],
    // The original server writes some texts without quotes.
    ["FAILURE SERVER-FAILED can't fork", "SERVER-FAILED can't fork"],
  ])("the client shows the text of the failure line %j without quotes", (line, words) => {
    const read = parseProsperoReplyLine(line);
    if (read.kind !== "failure") throw new Error(read.kind);
    expect(createProsperoFailureError(read).message).toBe(`the server refuses: ${words}`);
  });
});
