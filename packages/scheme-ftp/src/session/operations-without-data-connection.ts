// Executes the operations that send only commands, and transfer no body: stat, delete, mkdir and rename.
import { AccessError, type Stat } from "@anyscheme/core";
import {
  type AccessContext,
  guessMediaType,
  type OperationResult,
  type PlanOptions,
  type OperationResultInit,
  createOnlyIfCachedError,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { type MlsdEntryFacts, parseMlstReply } from "../listing/mlsd-format.ts";
import type { FtpOptions } from "../scheme-options.ts";
import type { FtpPlan, FtpOperationPhases } from "../plan/plan-types.ts";
import { createFtpFileContentCache } from "../transfer/file-content-cache.ts";
import { runInFtpDirectory } from "./change-directory.ts";
import { createFtpRequest } from "./pool.ts";
import { createFtpReplyError, FtpReplyError } from "./reply-errors.ts";
import { parseMdtmReply, parseSizeReply } from "./reply.ts";
import type { FtpSession } from "./session.ts";

const DIRECTORY_FACTS: MlsdEntryFacts = { kind: "directory", size: undefined, modified: undefined };

/** Executes an FTP operation without a result: delete, mkdir or rename. */
export async function executeFtpCommandOperation(
  plan: FtpPlan,
  context: AccessContext<OperationResult>,
  requestOptions: PlanOptions,
  schemeOptions: FtpOptions,
): Promise<object> {
  const request = createFtpRequest(plan, context, requestOptions, schemeOptions);
  return runInFtpDirectory(request, async (session) => {
    await session.runSteps(plan.phases.operation.commands);
    request.pool.release(session);
    return {};
  });
}

/**
 * Executes a stat: returns kind, size, time and media type of a file or directory. Throws `unavailable` for the cache
 * mode `only-if-cached` if the cache does not contain the file.
 */
export async function executeFtpStat(
  plan: FtpPlan,
  context: AccessContext<Stat>,
  requestOptions: PlanOptions,
  schemeOptions: FtpOptions,
): Promise<OperationResultInit<Stat>> {
  const request = createFtpRequest(plan, context, requestOptions, schemeOptions);
  const stored = await createFtpFileContentCache(request)?.findUnchecked();
  if (stored) return createFtpStat(plan, { kind: "file", size: stored.size, modified: stored.modified });
  if (requestOptions.cache === "only-if-cached") throw createOnlyIfCachedError();
  return runInFtpDirectory(request, async (session) => {
    const facts = await requestFileFacts(session, plan.phases.operation);
    request.pool.release(session);
    return createFtpStat(plan, facts);
  });
}

function createFtpStat(
  { url }: FtpPlan,
  { kind, size, modified }: MlsdEntryFacts,
): OperationResultInit<Stat> {
  const isFile = kind === "file";
  return {
    kind: isFile ? "content" : kind === "directory" ? "directory" : "unknown",
    size: isFile ? size : undefined,
    modified,
    mediaType: isFile ? guessMediaType(percentDecode(url.name ?? "")) : undefined,
  };
}

async function requestFileFacts(
  session: FtpSession,
  { setTransferType, commands, requestSizeAndTime = [], probeDirectory = [] }: FtpOperationPhases,
): Promise<MlsdEntryFacts> {
  // Without `setTransferType`, the URL names the login directory, which exists after the login.
  if (!setTransferType) return DIRECTORY_FACTS;
  await session.setTransferType(setTransferType);
  const reply = (await session.runSteps(commands)).get("MLST");
  const facts = reply?.code === "250" ? parseMlstReply(reply) : undefined;
  if (facts) return facts;
  const replies = await session.runAllSteps(requestSizeAndTime);
  const size = parseSizeReply(replies.get("SIZE"));
  const modified = parseMdtmReply(replies.get("MDTM"));
  if (size !== undefined) return { kind: "file", size, modified };
  session.workingDirectory = undefined;
  try {
    await session.runAllSteps(probeDirectory);
  } catch (error) {
    if (!(error instanceof FtpReplyError) || error.code !== "not-found") throw error;
    // A refused CWD does not mean that the name is missing, because FTP servers also refuse CWD with the name of a
    // file.
    if (modified) return { kind: "file", size: undefined, modified };
    const codes = ["SIZE", "MDTM"].map((command) => replies.get(command)?.code ?? "");
    if (codes.every((code) => code.startsWith("50")))
      throw new AccessError("unsupported", "the server has no command that shows whether the file exists");
    // The file may exist although CWD fails.
    const sizeReply = replies.get("SIZE");
    if (sizeReply?.code.startsWith("4")) throw createFtpReplyError(sizeReply, requestSizeAndTime[0]);
    throw error;
  }
  return { ...DIRECTORY_FACTS, modified };
}
