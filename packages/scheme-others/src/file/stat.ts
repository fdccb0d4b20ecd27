import { constants } from "node:fs";
import { type AccessContext, mediaTypeOf, type Outcome, type Stat } from "@anyscheme/core";
import { inOurWords } from "./failure.ts";
import { openPlace, realRoot } from "./place.ts";
import type { FilePlan } from "./plan.ts";

/** The attributes of a file or directory; of anything else, that it is there. */
export function statFile(
  plan: FilePlan,
  context: AccessContext<Stat>,
  root: string | undefined,
): Promise<Outcome<Stat>> {
  return inOurWords(async () => {
    const [opening] = plan.steps;
    if (opening) context.enter(opening);
    const { handle, stats } = await openPlace(await realRoot(root), plan.place, constants.O_RDONLY);
    await handle.close();
    const modified = stats.mtime;
    if (stats.isFile())
      return { kind: "content", size: stats.size, modified, mediaType: mediaTypeOf(plan.place.names.at(-1)) };
    const kind = stats.isDirectory() ? "directory" : "unknown";
    return { kind, size: undefined, modified, mediaType: undefined };
  });
}
