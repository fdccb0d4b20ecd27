import { describe, expect, it } from "vitest";
import { createCell } from "./cell.ts";
import { KNOWN_FAILURES } from "./known.ts";
import { MATRIX_ROWS } from "./rows.ts";
import { COMPILERS, RUNTIMES } from "./runtimes.ts";

const tools = [...RUNTIMES, ...COMPILERS].map(({ name }) => name);

describe("a cell of the matrix", () => {
  it.each([
    ["ok", undefined, undefined],
    ["FAILED", "it broke", undefined],
    ["cannot", "it says: no such thing", "no such thing"],
    ["FAILED", "it says something else", "no such thing"],
    ["FAILED", undefined, "no such thing"],
  ])("is %s when the tool says %s and %s is known", (outcome, failure, says) => {
    const known = says === undefined ? [] : [{ tool: "bun", row: "ftp", says, reason: "it is not there" }];
    expect(createCell("bun", "ftp", failure, known)).toMatchObject({ tool: "bun", row: "ftp", outcome });
  });

  it.each(KNOWN_FAILURES)(
    "is known of a tool and a row that there are: $tool, $row",
    ({ tool, row, reason }) => {
      expect(tools).toContain(tool);
      expect(["types", ...MATRIX_ROWS.map(({ name }) => name)]).toContain(row);
      expect(reason.length).toBeGreaterThan(20);
    },
  );
});
