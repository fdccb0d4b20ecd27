import { type AccessErrorCode, AccessError, type Step } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { getExitCodeNameForError, EXIT_CODES, getExitCodeByName } from "../../src/errors/exit-codes.ts";

interface ErrorDetails {
  readonly url?: string;
  readonly step?: Partial<Step>;
  readonly cause?: Partial<NodeJS.ErrnoException>;
  readonly limit?: string;
}

function createAccessError(
  code: AccessErrorCode,
  { url = "ftp://h/", step, cause, limit }: ErrorDetails,
): AccessError {
  const at = { operationName: "dereference", url, mask: (text: string) => text };
  const made = step && ({ spec: "", description: "", action: "send", ...step } as Step);
  return new AccessError(
    code,
    "it",
    { step: made, limit, cause: cause && Object.assign(new Error("below"), cause) },
    at,
  );
}

describe("the command exits with the exit codes of curl", () => {
  const rows: [code: AccessErrorCode, exit: number, given?: ErrorDetails][] = [
    ["unknown-scheme", 1],
    ["refused-characters", 3],
    ["unsupported", 4],
    ["unsupported", 22, { url: "http://h/", step: { action: "expect" } }],
    // In the next three rows, the error is not an HTTP error status.
    ["unsupported", 4, { url: "http://h/" }],
    ["unsupported", 4, { url: "http://h/", step: { action: "transfer" } }],
    ["unavailable", 8, { url: "http://h/", step: { action: "transfer" } }],
    ["unavailable", 6, { step: { action: "connect" }, cause: { code: "ENOTFOUND", syscall: "getaddrinfo" } }],
    ["unavailable", 6, { step: { action: "connect" }, cause: { code: "EAI_AGAIN", syscall: "getaddrinfo" } }],
    ["unavailable", 7, { step: { action: "connect" }, cause: { code: "ECONNREFUSED", syscall: "connect" } }],
    ["unavailable", 7, { step: { action: "expect" }, cause: { code: "ECONNREFUSED", syscall: "connect" } }],
    ["unavailable", 7, { step: { action: "send" }, cause: { code: "ECONNREFUSED", syscall: "recvmsg" } }],
    ["unavailable", 35, { step: { action: "tls" }, cause: { code: "EPROTO" } }],
    ["unavailable", 60, { step: { action: "tls" }, cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } }],
    ["unavailable", 60, { step: { action: "tls" }, cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" } }],
    ["unavailable", 60, { step: { action: "tls" }, cause: { code: "CERT_HAS_EXPIRED" } }],
    ["unavailable", 8, { step: { action: "expect" } }],
    ["unavailable", 22, { url: "https://h/", step: { action: "expect" } }],
    ["refused-port", 7],
    ["refused-address", 7],
    ["refused-name", 7],
    ["protocol", 8],
    ["rejected", 22],
    ["out-of-range", 33],
    ["plugin", 70],
    ["permission-denied", 9],
    ["permission-denied", 22, { url: "http://h/", step: { action: "expect" } }],
    ["permission-denied", 37, { url: "file:///x" }],
    ["permission-denied", 67, { step: { action: "expect", onReply: "331" } }],
    ["permission-denied", 67, { step: { action: "expect", expectReplies: ["2", "331", "332"] } }],
    ["permission-denied", 9, { step: { action: "expect", expectReplies: ["1"] } }],
    ["authentication-required", 67],
    ["incomplete", 18],
    ["not-found", 78],
    ["not-found", 78, { url: "gopher://h/0x" }],
    ["not-found", 78, { url: "constructor://h/0x" }],
    ["not-found", 22, { url: "http://h/", step: { action: "expect" } }],
    ["not-found", 37, { url: "file:///x" }],
    ["timeout", 28],
    ["limit", 63],
    ["limit", 47, { limit: "maxRedirects" }],
    ["refused-redirect", 47],
    ["aborted", 42],
    ["no-content", 4],
    ["no-content", 37, { url: "file:///x" }],
  ];
  it.each(rows)(
    "the command exits after the error code %s with the exit code %i (%j)",
    (code, exit, given = {}) => {
      expect(getExitCodeByName(getExitCodeNameForError(createAccessError(code, given)))).toBe(exit);
    },
  );

  it("the numbers of the exit codes are unique and in ascending order", () => {
    const numbers = Object.values(EXIT_CODES).map(({ code }) => code);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });
});
