import { type AccessContext, mediaTypeOf, type Outcome, type Stat } from "@anyscheme/core";
import { inOurWords } from "./failure.ts";
import { openPlace } from "./place.ts";
import { type FilePlan, stepper } from "./plan.ts";

/** The attributes of a file or directory; of anything else, that it is there. */
export function statFile(
  plan: FilePlan,
  context: AccessContext<Stat>,
  root: string | undefined,
): Promise<Outcome<Stat>> {
  return inOurWords(async () => {
    stepper(plan, context)();
    const { handle, stats } = await openPlace(root, plan.place);
    await handle.close();
    const modified = stats.mtime;
    if (stats.isFile())
      return { kind: "content", size: stats.size, modified, mediaType: mediaTypeOf(plan.place.names.at(-1)) };
    const kind = stats.isDirectory() ? "directory" : "unknown";
    return { kind, size: undefined, modified, mediaType: undefined };
  });
}
