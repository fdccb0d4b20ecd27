import { describe, expect, it } from "vitest";
import {
  getFirstInvalidHeaderCharacter,
  httpMethodOptionKind,
  isForbiddenRequestHeader,
  isHttpToken,
  normalizeHttpMethod,
} from "../../src/text/http-syntax.ts";

describe("the syntax of HTTP requests", () => {
  it.each<[text: string, isToken: boolean]>([
    ["GET", true],
    ["!#$%&'*+-.^_`|~09azAZ", true],
    ["", false],
    ["a b", false],
    ["a:", false],
    ["a\n", false],
    ["é", false],
  ])("isHttpToken(%j) is %j (RFC 9110 §5.6.2)", (text, isToken) => {
    expect(isHttpToken(text)).toBe(isToken);
  });

  it.each<[value: string, character: string | undefined]>([
    ["", undefined],
    ["\t !~\x80\xff", undefined],
    ["a\r\nb", "\r"],
    ["a\0", "\0"],
    ["a\x7f", "\x7f"],
    ["€", "€"],
  ])("the first invalid character of the header value %j is %j (RFC 9110 §5.5)", (value, character) => {
    expect(getFirstInvalidHeaderCharacter(value)).toBe(character);
  });

  it.each<[name: string, isForbidden: boolean]>([
    ["host", true],
    ["content-length", true],
    ["transfer-encoding", true],
    ["proxy-authorization", true],
    ["content-type", false],
    ["proxy", false],
  ])("isForbiddenRequestHeader(%j) is %j", (name, isForbidden) => {
    expect(isForbiddenRequestHeader(name)).toBe(isForbidden);
  });

  it.each<[method: string, normalized: string, isAccepted: boolean]>([
    ["get", "GET", true],
    ["Delete", "DELETE", true],
    // The Fetch standard does not change the case of PATCH.
    ["patch", "patch", true],
    ["PROPFIND", "PROPFIND", true],
    ["connect", "connect", false],
    ["TRACE", "TRACE", false],
    ["Track", "Track", false],
    ["", "", false],
    ["GET /", "GET /", false],
  ])("the method %j is written %j, and its acceptance is %j", (method, normalized, isAccepted) => {
    expect(normalizeHttpMethod(method)).toBe(normalized);
    expect(httpMethodOptionKind.accepts(method)).toBe(isAccepted);
  });
});
