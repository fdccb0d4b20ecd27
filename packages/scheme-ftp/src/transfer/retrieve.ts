import {
  AccessError,
  type ContentResource,
  type DirectoryResource,
  type NotModifiedResource,
} from "@anyscheme/core";
import {
  createContentChangedError,
  type Reply,
  createResumableSource,
  EMPTY_BYTE_SOURCE,
} from "@anyscheme/core/io";
import {
  type AccessContext,
  type ByteSource,
  guessMediaType,
  type PlanOptions,
  createOnlyIfCachedError,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpEntry } from "../listing/entry.ts";
import { getListingCompleteness, parseFtpListing } from "../listing/listing.ts";
import type { CwdStrategy, FtpOptions, FtpRequestOptions } from "../scheme-options.ts";
import type { FtpPlan, FtpTransferOperationPhases } from "../plan/plan-types.ts";
import { planFtpDereference } from "../plan/retrieve.ts";
import { runInFtpDirectory } from "../session/change-directory.ts";
import { createFtpRequest } from "../session/pool.ts";
import { FtpReplyError, createFtpReplyError } from "../session/reply-errors.ts";
import { parseMdtmReply, parseSizeReply } from "../session/reply.ts";
import type { ReceivedFtpRepliesByCommand, FtpRequest, FtpSession } from "../session/session.ts";
import { startFtpTransfer, FtpTransferBody } from "./data-connection.ts";
import { createFtpFileContentCache } from "./file-content-cache.ts";
import { createCrlfToLfSource } from "./newlines.ts";

/** The part of an FTP resource that states how CWD reached the directory of its URL. */
export interface UsedFtpCwdStrategy {
  /**
   * The CWD strategy that reached the directory of the FTP URL. `undefined` for a file that the client returns from its
   * cache without asking the server.
   */
  readonly cwdStrategy: CwdStrategy | undefined;
}

/** The resource of an FTP URL: a file or a directory. The kind `not-modified` requires the option `ifModifiedSince`. */
export type FtpResource =
  | (ContentResource & UsedFtpCwdStrategy)
  | (DirectoryResource<FtpEntry> & UsedFtpCwdStrategy)
  | NotModifiedResource;

type RetrieveRequest = FtpRequest<FtpTransferOperationPhases, PlanOptions & FtpRequestOptions>;

/** The size and modification time of a file at the start of its transfer. */
export interface FileVersion {
  readonly size: number | undefined;
  readonly modified: Date | undefined;
}

/** A byte source with the reply that has confirmed the end of the transfer. */
interface ByteSourceWithFinalReply extends ByteSource {
  readonly finalReply?: Reply | undefined;
}

/** The result of a request for a file or listing, before the body is read. */
interface FtpRetrieval extends UsedFtpCwdStrategy {
  /** The command that retrieves the file or listing, such as RETR or MLSD. */
  readonly command: string;
  readonly version: FileVersion;
  /** The body; `undefined` if the file has not changed since `ifModifiedSince`. */
  readonly source: ByteSourceWithFinalReply | undefined;
}

/**
 * Retrieves a file or lists a directory (RFC 1738 §3.2.2). The session returns to the pool when the body has been read.
 */
export async function executeFtpDereference(
  plan: FtpPlan<FtpTransferOperationPhases>,
  context: AccessContext,
  requestOptions: PlanOptions & FtpRequestOptions,
  schemeOptions: FtpOptions,
): Promise<FtpResource> {
  const request = createFtpRequest(plan, context, requestOptions, schemeOptions);
  const stored = await openStoredFile(request);
  if (!stored && requestOptions.cache === "only-if-cached") throw createOnlyIfCachedError();
  const { command, version, source, cwdStrategy } = stored ?? (await startRetrieval(request));
  if (!source) return context.createResource("not-modified", { modified: version.modified });
  const extra: UsedFtpCwdStrategy = { cwdStrategy };
  if (command !== "RETR") {
    return context.createDirectory({
      entries: parseFtpListing(source, command, plan.url, context.limits),
      completeness: () => getListingCompleteness(source.finalReply),
      cancel: () => source.cancel(),
      schemeProperties: extra,
    });
  }
  const isText = plan.phases.operation.setTransferType.type === "A";
  return context.createContent({
    source: isText
      ? createAsciiTransferSource(source, schemeOptions)
      : createBinaryTransferSource(source, version, request),
    mediaType: guessMediaType(percentDecode(plan.url.name ?? "")),
    // The size that an FTP server states for a text includes the server's line ends, which may differ in the body.
    size: isText ? undefined : getRangeLength(version.size, requestOptions),
    totalSize: isText ? undefined : version.size,
    // The final reply confirms the end of a file that has grown since SIZE.
    sizeMayGrow: true,
    modified: version.modified,
    schemeProperties: extra,
  });
}

/** Opens a stored binary file for a request whose cache mode accepts every version. */
async function openStoredFile(request: RetrieveRequest): Promise<FtpRetrieval | undefined> {
  const isBinary = request.plan.phases.operation.setTransferType.type === "I";
  const file = isBinary ? await createFtpFileContentCache(request)?.findUnchecked() : undefined;
  if (!file) return undefined;
  const { ifModifiedSince } = request.requestOptions;
  const isUnchanged = ifModifiedSince !== undefined && file.modified <= ifModifiedSince;
  const source = isUnchanged ? undefined : await file.openBody();
  if (!source && !isUnchanged) return undefined;
  return { command: "RETR", cwdStrategy: undefined, version: file, source };
}

/**
 * Starts the transfer on a session in the directory of the URL. The callback `verify` throws if the file is not the
 * expected version.
 */
function startRetrieval(
  request: RetrieveRequest,
  verify?: (version: FileVersion, replies: ReceivedFtpRepliesByCommand) => void,
): Promise<FtpRetrieval> {
  const { setTransferType, commands } = request.plan.phases.operation;
  return runInFtpDirectory(request, async (session, cwdStrategy) => {
    await session.setTransferType(setTransferType);
    const replies = await session.runSteps(commands);
    const size = parseSizeReply(replies.get("SIZE"));
    const version = { size, modified: parseMdtmReply(replies.get("MDTM")) };
    verify?.(version, replies);
    const { ifModifiedSince } = request.requestOptions;
    if (ifModifiedSince && version.modified && version.modified <= ifModifiedSince) {
      request.pool.release(session);
      return { command: "RETR", cwdStrategy, version, source: undefined };
    }
    const { modified } = version;
    const isStorable =
      setTransferType.type === "I" && !verify && size !== undefined && modified !== undefined;
    const cache = isStorable ? createFtpFileContentCache(request) : undefined;
    const cachedVersion = isStorable ? { size, modified } : undefined;
    const stored = cachedVersion && (await cache?.openCurrent(cachedVersion));
    if (stored) {
      request.pool.release(session);
      return { command: "RETR", cwdStrategy, version, source: stored };
    }
    const started = await startTransferBody(session, request, size);
    const { command, source } = started;
    if (!cache || !cachedVersion || !source || command !== "RETR")
      return { cwdStrategy, version, ...started };
    return { command, cwdStrategy, version, source: await cache.store(cachedVersion, source) };
  });
}

/**
 * Starts the FTP transfer of a listing, or of the requested byte range of a file. A range does not apply to a listing.
 */
async function startTransferBody(
  session: FtpSession,
  { plan, pool, requestOptions, schemeOptions }: RetrieveRequest,
  size: number | undefined,
): Promise<Pick<FtpRetrieval, "command" | "source">> {
  const { transfer } = plan.phases.operation;
  const isFile = transfer.commandSteps.at(-1)?.sendCommand.command === "RETR";
  const { start: first = 0, endExclusive = Infinity } = (isFile && requestOptions.range) || {};
  if (size !== undefined && first > size)
    throw new AccessError("out-of-range", `the range begins at ${first}, and the file has ${size} bytes`, {
      totalSize: size,
    });
  // Some servers refuse to start a transfer at the end of the file.
  if (size !== undefined && size > 0 && first === size) {
    pool.release(session);
    return { command: "RETR", source: EMPTY_BYTE_SOURCE };
  }
  try {
    const { command, reader } = await startFtpTransfer(session, transfer);
    const source = new FtpTransferBody(session, reader, {
      steps: transfer,
      expectedBytes: size === undefined ? undefined : size - first,
      // The final reply confirms a range that reaches the end of the file. The client counts the bytes of a range that
      // does not end at the end of the file.
      requestedBytes:
        endExclusive === Infinity || (size !== undefined && endExclusive >= size)
          ? undefined
          : endExclusive - first,
      keepAliveIntervalMs: schemeOptions.keepAliveIntervalMs,
      onComplete: () => pool.release(session),
    });
    const hasUnknownEnd = first > 0 && size === undefined;
    return { command, source: hasUnknownEnd ? rejectEmptyRange(source, first) : source };
  } catch (error) {
    if (!(error instanceof FtpReplyError)) throw error;
    // The reply 554 refuses a range that begins after the end of a file of unknown size. RFC 3659 §5.4. Some servers
    // send 551.
    if (first > 0 && /^55[14]$/.test(error.reply.code))
      throw new AccessError("out-of-range", error.messageParts);
    if (!error.isEmptyListing) throw error;
    pool.release(session);
    return { command: error.command, source: EMPTY_BYTE_SOURCE };
  }
}

/**
 * Returns a byte source that fails with `out-of-range` if the FTP server sends no byte. Without SIZE, some servers send
 * the same empty transfer for a range at the end of the file and for a range after the end.
 */
function rejectEmptyRange(source: ByteSource, start: number): ByteSource {
  let isEmpty = true;
  return {
    async readChunks(onChunk) {
      const state = await source.readChunks((bytes) => {
        isEmpty = false;
        return onChunk(bytes);
      });
      if (state === "end" && isEmpty)
        throw new AccessError("out-of-range", `the range begins at ${start}, and the server sent no data`);
      return state;
    },
    cancel: () => source.cancel(),
  };
}

function createAsciiTransferSource(source: ByteSource, { asciiNewlines = "lf" }: FtpOptions): ByteSource {
  return asciiNewlines === "lf" ? createCrlfToLfSource(source) : source;
}

function createBinaryTransferSource(
  source: ByteSource,
  version: FileVersion,
  request: RetrieveRequest,
): ByteSource {
  const { context, requestOptions } = request;
  const { resume, range } = requestOptions;
  // Size and time together identify the version of a file.
  if (!resume || version.size === undefined || !version.modified) return source;
  return createResumableSource(source, {
    resume,
    signal: context.signal,
    startOffset: range?.start,
    reopen: (offset) => resumeTransfer(offset, version, request),
  });
}

function getRangeLength(size: number | undefined, { range }: PlanOptions): number | undefined {
  if (!range || size === undefined) return size;
  return Math.min(range.endExclusive ?? Infinity, size) - range.start;
}

/**
 * Retrieves the remaining bytes of a file after the connection was lost, with a separate plan. REST counts bytes, so
 * the client resumes only if the file has not changed. If the file was changed or deleted during the retrieval, the
 * request ends with an error. If the connection is lost again, the client resumes the FTP transfer again. RFC 3659 §5.
 */
async function resumeTransfer(
  offset: number,
  version: FileVersion,
  { plan, context, requestOptions, schemeOptions, credentials }: RetrieveRequest,
): Promise<ByteSource> {
  const { size = 0 } = version;
  const endExclusive = requestOptions.range?.endExclusive;
  const range = {
    start: offset,
    ...(endExclusive !== undefined && { endExclusive: Math.min(endExclusive, size) }),
  };
  const restOptions = { ...requestOptions, range, ifModifiedSince: undefined };
  const restPlan = planFtpDereference(plan.url, restOptions, schemeOptions);
  const request = { ...createFtpRequest(restPlan, context, restOptions, schemeOptions), credentials };
  const { source } = await startRetrieval(request, (current, replies) => {
    rejectDeletedFile(replies);
    rejectChangedFile(version, current);
  });
  if (!source) throw new Error("the plan for the remaining bytes contains the option ifModifiedSince");
  return source;
}

/** Throws `not-found` if the server refuses SIZE because the file no longer exists. */
function rejectDeletedFile(replies: ReceivedFtpRepliesByCommand): void {
  const reply = replies.get("SIZE");
  if (reply?.code === "550") throw createFtpReplyError(reply, { command: "SIZE", description: "SIZE" });
}

function rejectChangedFile(before: FileVersion, { size, modified }: FileVersion): void {
  if (size === undefined || modified === undefined)
    throw new AccessError("incomplete", "the server no longer states size and time of the file");
  if (size !== before.size)
    throw createContentChangedError(`the file has ${size} bytes, and had ${before.size} before`);
  if (modified.getTime() === before.modified?.getTime()) return;
  throw createContentChangedError(
    `its modification time is ${modified.toISOString()}, and was ${before.modified?.toISOString()}`,
  );
}
