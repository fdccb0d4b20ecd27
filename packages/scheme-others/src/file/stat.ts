import type { Stat } from "@anyscheme/core";
import { type AccessContext, guessMediaType, type ResultInit } from "@anyscheme/core/plugin";
import { inOurWords } from "./failure.ts";
import { openPlace, sizeOf } from "./place.ts";
import { type FilePlan, stepper } from "./plan.ts";

/** The attributes of a file or directory; of anything else, that it is there. */
export function statFile(
  plan: FilePlan,
  context: AccessContext<Stat>,
  root: string | undefined,
): Promise<ResultInit<Stat>> {
  return inOurWords(async () => {
    stepper(plan, context)();
    const opened = await openPlace(root, plan.place);
    const { handle, stats } = opened;
    try {
      const modified = stats.mtime;
      if (!stats.isFile()) {
        const kind = stats.isDirectory() ? "directory" : "unknown";
        return { kind, size: undefined, modified, mediaType: undefined };
      }
      const mediaType = guessMediaType(plan.place.names.at(-1));
      return { kind: "content", size: await sizeOf(opened), modified, mediaType };
    } finally {
      await handle.close();
    }
  });
}
