import { formatReceivedNumericReply, parseSingleLineNumericReply } from "@anyscheme/core/io";
import { describe, expect, it } from "vitest";
import {
  NNTP_ERRORS_BY_REPLY_CODE,
  parseGroupReply,
  createNntpReplyError,
} from "../../../src/nntp/session/reply.ts";

describe("the client parses the replies of an NNTP server", () => {
  it.each([
    ["200 ready", "200", "ready"],
    ["200", "200", ""],
    ["211 1 1 1 g", "211", "1 1 1 g"],
    ["480 ", "480", ""],
  ])("the client parses the reply line %j", (line, code, text) => {
    expect(parseSingleLineNumericReply(line, "NNTP")).toEqual({ code, text });
  });

  it.each(["", "20", "2000 ready", "SSH-2.0-x", "200-ready", "600 x", "099 x", "\xff\xfd", " 200 ready"])(
    "the client rejects the line %j, which is no NNTP reply",
    (line) => {
      expect(() => parseSingleLineNumericReply(line, "NNTP")).toThrow(
        expect.objectContaining({ code: "protocol" }),
      );
    },
  );

  it("the client formats a reply without control characters", () => {
    expect(
      formatReceivedNumericReply(parseSingleLineNumericReply("411 no\x1b[2Jne \xc3\xa9\x07", "NNTP")),
    ).toBe("411 no\ufffd[2Jne é\ufffd");
  });
});

// RFC 3977 §3.2.1 and Appendix C, RFC 4643 §2, RFC 4642 §2.2
describe("the client converts NNTP replies to errors", () => {
  it.each([
    ["205", "unavailable"],
    ["400", "unavailable"],
    ["401", "unsupported"],
    ["403", "unavailable"],
    ["411", "not-found"],
    ["412", "protocol"],
    ["420", "not-found"],
    ["421", "not-found"],
    ["422", "not-found"],
    ["423", "not-found"],
    ["430", "not-found"],
    ["435", "permission-denied"],
    ["436", "unavailable"],
    ["437", "permission-denied"],
    ["440", "permission-denied"],
    ["441", "permission-denied"],
    ["450", "authentication-required"],
    ["452", "permission-denied"],
    ["480", "authentication-required"],
    ["481", "permission-denied"],
    ["482", "permission-denied"],
    ["483", "permission-denied"],
    ["499", "unavailable"],
    ["500", "unsupported"],
    ["501", "unsupported"],
    ["502", "permission-denied"],
    ["503", "unsupported"],
    ["504", "protocol"],
    ["580", "unavailable"],
    ["599", "unsupported"],
    ["100", "protocol"],
    ["220", "protocol"],
    ["299", "protocol"],
    ["381", "protocol"],
  ])("the client maps the reply code %s to the error %s", (code, meaning) => {
    const error = createNntpReplyError({ code, text: "the words" }, { description: "GROUP g" });
    expect(error.code).toBe(meaning);
    expect(error.message).toContain(`GROUP g with: ${code} the words`);
  });

  it("the client maps each reply code from 400 to 599 to an error, by the table or by the first digit", () => {
    for (let number = 400; number < 600; number++) {
      const code = String(number);
      const byFirstDigit = number < 500 ? "unavailable" : "unsupported";
      expect(createNntpReplyError({ code, text: "" }).code).toBe(
        NNTP_ERRORS_BY_REPLY_CODE[code] ?? byFirstDigit,
      );
    }
    expect(Object.keys(NNTP_ERRORS_BY_REPLY_CODE).filter((code) => !/^(?:205|[45]\d\d)$/.test(code))).toEqual(
      [],
    );
  });

  it("the error of a server that requires encryption advises TLS, unless the connection uses TLS", () => {
    const reply = { code: "483", text: "" };
    expect(createNntpReplyError(reply).advice).toMatch(/nntps.*news server.*startTls/);
    expect(createNntpReplyError(reply, undefined, true).advice).toBeUndefined();
  });
});

describe("the client parses the article numbers in a reply to GROUP", () => {
  it.each([
    ["3 1 3 g", { low: 1, high: 3 }],
    ["0 1 0 g", { low: 1, high: 0 }],
    ["0000000007\t0010 0016", { low: 10, high: 16 }],
  ])("the client parses the reply text %j", (text, numbers) => {
    expect(parseGroupReply({ code: "211", text })).toEqual(numbers);
  });

  it.each(["", "1 2", "a b c g", "-1 1 1 g", "1 1 9999999999999999 g", "1 1 99999999999999999 g"])(
    "the client rejects the reply text %j, which has no article numbers",
    (text) => {
      expect(() => parseGroupReply({ code: "211", text })).toThrow(
        expect.objectContaining({ code: "protocol" }),
      );
    },
  );
});
