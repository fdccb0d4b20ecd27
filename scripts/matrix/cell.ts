import { KNOWN_FAILURES } from "./known.ts";

/** One cell of the matrix of packages and runtimes. */
export interface MatrixCell {
  readonly tool: string;
  readonly row: string;
  readonly outcome: "ok" | "cannot" | "FAILED";
  /** The reason of a failure. */
  readonly note: string;
}

/** Returns the text of a cell. A known failure with its known reason does not count as a failure. */
export function createCell(
  tool: string,
  row: string,
  failure: string | undefined,
  all: typeof KNOWN_FAILURES = KNOWN_FAILURES,
): MatrixCell {
  const known = all.find((each) => each.tool === tool && each.row === row);
  if (failure === undefined) {
    return known
      ? { tool, row, outcome: "FAILED", note: `it works now, so that it is known no more: ${known.reason}` }
      : { tool, row, outcome: "ok", note: "" };
  }
  return known && failure.includes(known.says)
    ? { tool, row, outcome: "cannot", note: known.reason }
    : { tool, row, outcome: "FAILED", note: failure };
}
