import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHttpDate } from "../../src/text/http-date.ts";

/** The current time of these tests. The century of two-digit years depends on the current time. */
const CURRENT_DATE = new Date(Date.UTC(2026, 10, 22));

/** The date of the three example forms in RFC 9110 §5.6.7. */
const EXPECTED_DATE = new Date(Date.UTC(1994, 10, 6, 8, 49, 37));

const formatRfc850Date = (date: string): string => `Sunday, ${date} 08:49:37 GMT`;
const createDateInYear = (year: number): Date => new Date(Date.UTC(year, 10, 6, 8, 49, 37));

describe("the parser of HTTP dates", () => {
  it.each<[text: string, date: Date]>([
    ["Sun, 06 Nov 1994 08:49:37 GMT", EXPECTED_DATE],
    ["Sunday, 06-Nov-94 08:49:37 GMT", EXPECTED_DATE],
    ["Sun Nov  6 08:49:37 1994", EXPECTED_DATE],
    ["Sun, 6 Nov 1994 8:49:37 GMT", EXPECTED_DATE],
    ["Sun, 06-Nov-1994 08:49:37 GMT", EXPECTED_DATE],
    ["Thu, 29 Feb 1996 00:00:00 GMT", new Date(Date.UTC(1996, 1, 29))],
    ["Sat, 31 Dec 2016 23:59:60 GMT", new Date(Date.UTC(2017, 0, 1))],
    ["Sat, 01 Jan 0001 00:00:00 GMT", new Date("0001-01-01T00:00:00Z")],
    [formatRfc850Date("06-Nov-70"), createDateInYear(2070)],
    [formatRfc850Date("06-Nov-76"), createDateInYear(2076)],
    [formatRfc850Date("23-Nov-76"), new Date(Date.UTC(1976, 10, 23, 8, 49, 37))],
    [formatRfc850Date("06-Nov-77"), createDateInYear(1977)],
    [formatRfc850Date("06-Nov-00"), createDateInYear(2000)],
    [formatRfc850Date("06-Nov-26"), createDateInYear(2026)],
  ])("parseHttpDate parses the HTTP date %s", (text, date) => {
    expect(parseHttpDate(text, CURRENT_DATE)).toEqual(date);
  });

  it.each([
    "Sun, 31 Feb 2026 00:00:00 GMT",
    "Sun, 29 Feb 2025 00:00:00 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 32 Jan 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 25:49:37 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 0000 08:49:37 GMT",
    "Sunday, 31-Feb-94 08:49:37 GMT",
    "Sunday, 31-Apr-94 08:49:37 GMT",
    "Sun Feb 31 08:49:37 1994",
    "Sun Feb 30 08:49:37 2000",
    "Sun Nov  6 25:00:00 1994",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 94 08:49 GMT",
    "1994-11-06T08:49:37Z",
    "784111777",
    "0",
    "",
  ])("parseHttpDate rejects the HTTP date %j", (text) => {
    expect(parseHttpDate(text, CURRENT_DATE)).toBeUndefined();
  });

  it("parseHttpDate parses the output of Date.toUTCString for any second from 1970 to 9999", () => {
    const seconds = integer({ min: Date.UTC(1970, 0, 1) / 1000, max: Date.UTC(9999, 11, 31) / 1000 });
    assert(
      property(seconds, (second) => {
        const date = new Date(second * 1000);
        expect(parseHttpDate(date.toUTCString())).toEqual(date);
      }),
    );
  });
});
