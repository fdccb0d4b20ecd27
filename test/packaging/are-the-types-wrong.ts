import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";

/**
 * The module resolutions that the packages do not support: `require`, and compilers without support for `exports`. The
 * check of the types ignores the same module resolutions as the profile "esm-only" of the tool arethetypeswrong.
 */
const UNSUPPORTED_RESOLUTIONS = new Set(["node10", "node16-cjs"]);

/** Returns the type problems of a packed package for every supported kind of module resolution. */
export async function findTypeProblemsOfPackage(archive: Uint8Array): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(archive));
  if (!result.types) return ["NoTypes"];
  return result.problems
    .filter(
      (problem) => !("resolutionKind" in problem && UNSUPPORTED_RESOLUTIONS.has(problem.resolutionKind)),
    )
    .map((problem) => JSON.stringify(problem));
}
