import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";

/** Who this house is not for: `require`, and compilers that do not know `exports`. The profile "esm-only" of the same tool. */
const NOT_FOR = new Set(["node10", "node16-cjs"]);

/** What a compiler would find wrong in the types of a packed package, by any of the ways in which modules are found. */
export async function typeProblems(archive: Uint8Array): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(archive));
  if (!result.types) return ["NoTypes"];
  return result.problems
    .filter((problem) => !("resolutionKind" in problem && NOT_FOR.has(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}
