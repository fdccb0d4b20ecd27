import type { Stat } from "@anyscheme/core";
import { type AccessContext, guessMediaType, type ResultInit } from "@anyscheme/core/plugin";
import { mapFsErrors } from "./errors.ts";
import { openBelowRoot, readSize } from "./open.ts";
import { createStepper, type FilePlan } from "./plan.ts";

/** Reads the attributes of a file or directory. Devices, pipes and sockets have the kind `unknown`. */
export function statFile(
  plan: FilePlan,
  context: AccessContext<Stat>,
  root: string | undefined,
): Promise<ResultInit<Stat>> {
  return mapFsErrors(async () => {
    createStepper(plan, context)();
    const openFile = await openBelowRoot(root, plan.path);
    const { handle, stats } = openFile;
    try {
      const modified = stats.mtime;
      if (!stats.isFile()) {
        const kind = stats.isDirectory() ? "directory" : "unknown";
        return { kind, size: undefined, modified, mediaType: undefined };
      }
      const mediaType = guessMediaType(plan.path.names.at(-1));
      return { kind: "content", size: await readSize(openFile), modified, mediaType };
    } finally {
      await handle.close();
    }
  });
}
