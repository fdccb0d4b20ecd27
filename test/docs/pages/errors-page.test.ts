import { AccessError, type AccessErrorCode, type Step } from "@anyscheme/core";
import type { StepActionName } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import { getExitCodeByName, getExitCodeNameForError } from "../../../packages/cli/src/errors/exit-codes.ts";
import { describeNetworkFailure } from "../../../packages/core/src/errors/network-failures.ts";
import { readDocsPage } from "../code-blocks.ts";
import { readTableBelowHeading } from "../markdown-table.ts";

const page = readDocsPage("docs/errors.md");
const listCodes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const rows = readTableBelowHeading(page, "Codes");

/** Returns the codes of the type `AccessErrorCode`. */
function listErrorCodes(): string[] {
  const source = readDocsPage("packages/core/src/errors/access-error.ts");
  const [, union = ""] = /export type AccessErrorCode =([^;]*);/.exec(source) ?? [];
  return [...union.matchAll(/"([^"]+)"/g)].map(([, code = ""]) => code);
}

const STEPS: readonly Step[] = [
  ...(["resolve", "connect", "tls", "expect", "transfer"] as const).map(createStepOf),
  { ...createStepOf("send"), onReply: "331" },
];
const CERTIFICATE_CAUSE = Object.assign(new Error("expired"), { code: "CERT_HAS_EXPIRED" });

function createStepOf(action: StepActionName): Step {
  return { action, spec: "1", description: "x" };
}

/** Returns the exit codes of an error code for every scheme, step and cause that changes the exit code. */
function computeExitCodes(code: AccessErrorCode): number[] {
  const limits = code === "limit" ? [undefined, "maxRedirects"] : [undefined];
  const causes = code === "unavailable" ? [undefined, CERTIFICATE_CAUSE] : [undefined];
  const found = new Set<number>();
  for (const scheme of ["ftp", "http", "file"])
    for (const step of STEPS)
      for (const limit of limits)
        for (const cause of causes) {
          const context = { operationName: "dereference", url: `${scheme}://h.example/` };
          const error = new AccessError(code, "x", { step, limit, cause }, context);
          found.add(getExitCodeByName(getExitCodeNameForError(error)));
        }
  return [...found].toSorted((one, other) => one - other);
}

describe("docs/errors.md", () => {
  it("docs/errors.md lists each code of the type AccessErrorCode once, in the order of the type", () => {
    expect(rows.map(([code = ""]) => listCodes(code)[0])).toEqual(listErrorCodes());
  });

  it.each(rows)("the row of %s has meaning, cause, advice and the exit codes", (cell = "", ...columns) => {
    const [code = ""] = listCodes(cell);
    expect(columns.slice(0, 3).filter((text) => text.length < 10)).toEqual([]);
    expect(columns[3]).toBe(computeExitCodes(code as AccessErrorCode).join(", "));
  });

  it.each(readTableBelowHeading(page, "Connections"))(
    "the message of a failed connection states the reason %s for %s",
    (reason = "", codes = "") => {
      for (const code of listCodes(codes))
        expect(describeNetworkFailure({ code })).toBe(`${listCodes(reason)[0]} (${code})`);
    },
  );
});
