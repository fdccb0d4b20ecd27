import type { Stat } from "@anyscheme/core";
import {
  type AccessContext,
  guessMediaType,
  type ResultInit,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { parseMdtmReply, parseSizeReply } from "../control/reply.ts";
import { type EntryFacts, parseMlstReply } from "../listing/mlsd.ts";
import type { FtpOptions } from "../options.ts";
import type { FtpPlan, OperationPhases } from "../plan/phases.ts";
import { acquireSession, releaseAfterError } from "../session/acquire.ts";
import { changeDirectory } from "../session/change-directory.ts";
import { createRequest } from "../session/request.ts";
import type { FtpSession } from "../session/session.ts";

const DIRECTORY: EntryFacts = { kind: "directory", size: undefined, modified: undefined };

/** Performs a stat: kind, size, time and media type of a file or directory. */
export async function performStat(
  plan: FtpPlan,
  context: AccessContext<Stat>,
  options: PlanOptions,
  settings: FtpOptions,
): Promise<ResultInit<Stat>> {
  const request = createRequest(plan, context, options, settings);
  for (;;) {
    const session = await acquireSession(request);
    try {
      await changeDirectory(session, request);
      const { kind, size, modified } = await readFacts(session, plan.phases.operation);
      request.pool.release(session);
      const isFile = kind === "file";
      return {
        kind: isFile ? "content" : kind === "directory" ? "directory" : "unknown",
        size: isFile ? size : undefined,
        modified,
        mediaType: isFile ? guessMediaType(percentDecode(plan.url.name ?? "")) : undefined,
      };
    } catch (error) {
      await releaseAfterError(session, request, error);
    }
  }
}

async function readFacts(
  session: FtpSession,
  { setType, prepare, sizeAndTime = [], directoryProbe = [] }: OperationPhases,
): Promise<EntryFacts> {
  // The directory exists: the session has changed to it.
  if (!setType) return DIRECTORY;
  await session.setType(setType);
  await session.run(prepare);
  const reply = session.replyTo("MLST");
  const facts = reply?.code === "250" ? parseMlstReply(reply) : undefined;
  if (facts) return facts;
  await session.runBranch(sizeAndTime);
  const size = parseSizeReply(session.replyTo("SIZE"));
  const modified = parseMdtmReply(session.replyTo("MDTM"));
  if (size !== undefined) return { kind: "file", size, modified };
  session.workingDirectory = undefined;
  await session.runBranch(directoryProbe);
  return { ...DIRECTORY, modified };
}
