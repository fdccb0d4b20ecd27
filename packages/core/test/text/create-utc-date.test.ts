import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUtcDate } from "../../src/text/create-utc-date.ts";

describe("createUtcDate", () => {
  it.each([
    [[1994, 11, 6, 8, 49, 37], "1994-11-06T08:49:37.000Z"],
    [[2024, 2, 29], "2024-02-29T00:00:00.000Z"],
    [[2000, 2, 29], "2000-02-29T00:00:00.000Z"],
    [[1, 1, 1], "0001-01-01T00:00:00.000Z"],
    [[99, 12, 31], "0099-12-31T00:00:00.000Z"],
    [[9999, 12, 31, 23, 59, 59, 999], "9999-12-31T23:59:59.999Z"],
    [[2016, 12, 31, 23, 59, 60], "2017-01-01T00:00:00.000Z"],
  ] as const)("the fields %j are the date %s", (fields, expected) => {
    const [year, month, day, ...time] = fields;
    expect(createUtcDate(year, month, day, ...time)?.toISOString()).toBe(expected);
  });

  it.each([
    [[0, 1, 1]],
    [[10_000, 1, 1]],
    [[2000, 0, 1]],
    [[2000, 13, 1]],
    [[2000, 1, 0]],
    [[2000, 1, 32]],
    [[2001, 2, 29]],
    [[1900, 2, 29]],
    [[2000, 2, 31]],
    [[2000, 4, 31]],
    [[2000, 1, 1, 24]],
    [[2000, 1, 1, 25]],
    [[2000, 1, 1, 0, 60]],
    [[2000, 1, 1, 0, 0, 61]],
    [[2000, 1, 1, 0, 0, 0, 1000]],
    [[2000, 1, 1, -1]],
    [[Number.NaN, 1, 1]],
    [[2000, 1.5, 1]],
  ] as const)("the date with the fields %j does not exist", (fields) => {
    const [year, month, day, ...time] = fields as readonly [number, number, number, ...number[]];
    expect(createUtcDate(year, month, day, ...(time as []))).toBeUndefined();
  });

  it("createUtcDate returns a date with the given fields for each existing date", () => {
    const dates = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        const day = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()] as const;
        const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()] as const;
        expect(createUtcDate(...day, ...time, date.getUTCMilliseconds())).toEqual(date);
      }),
    );
  });
});
