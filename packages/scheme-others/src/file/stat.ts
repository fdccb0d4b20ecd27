import type { Stat } from "@anyscheme/core";
import { type AccessContext, guessMediaType, type ResultInit } from "@anyscheme/core/plugin";
import { mapFsErrors } from "./errors.ts";
import { openBelowRoot, readSize } from "./open.ts";
import { type FilePlan, createStepper } from "./plan.ts";

/** The attributes of a file or directory; of anything else, that it is there. */
export function statFile(
  plan: FilePlan,
  context: AccessContext<Stat>,
  root: string | undefined,
): Promise<ResultInit<Stat>> {
  return mapFsErrors(async () => {
    createStepper(plan, context)();
    const opened = await openBelowRoot(root, plan.path);
    const { handle, stats } = opened;
    try {
      const modified = stats.mtime;
      if (!stats.isFile()) {
        const kind = stats.isDirectory() ? "directory" : "unknown";
        return { kind, size: undefined, modified, mediaType: undefined };
      }
      const mediaType = guessMediaType(plan.path.names.at(-1));
      return { kind: "content", size: await readSize(opened), modified, mediaType };
    } finally {
      await handle.close();
    }
  });
}
