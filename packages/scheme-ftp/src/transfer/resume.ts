import { AccessError } from "@anyscheme/core";
import type { ByteSource, PlanOptions } from "@anyscheme/core/plugin";
import { contentChangedError } from "@anyscheme/core/io";
import type { Conversation } from "../session/session.ts";
import { openFile } from "./start-retrieve.ts";
import type { FtpRequestOptions } from "../options.ts";
import { planFtp } from "../plan/plan.ts";
import type { Journey } from "../session/acquire.ts";
import { replyError } from "../control/reply-errors.ts";
import { journeyOf, travel } from "../session/run.ts";

/** What a file was when its transfer began. */
export interface Version {
  readonly size: number | undefined;
  readonly modified: Date | undefined;
}

/**
 * The rest of a file from this byte on, by a plan of its own: REST counts bytes, and only those of the same file. What has
 * changed in it meanwhile is final; where the server has gone, or no longer tells, it may be asked again. RFC 3659 §5.
 */
export async function reopened(
  offset: number,
  version: Version,
  first: Journey,
  options: PlanOptions & FtpRequestOptions,
): Promise<ByteSource> {
  const { plan, context, settings, login } = first;
  const { size = 0 } = version;
  const end = Math.min(options.range?.end ?? Infinity, size);
  const range = { start: offset, ...(options.range?.end === undefined ? {} : { end }) };
  const again = { ...options, range, ifModifiedSince: undefined };
  const journey = { ...journeyOf(planFtp(plan.url, again, settings), context, again, settings), login };
  return travel(journey, async (talk) => {
    const opened = await openFile(talk, journey, again, (now) => {
      checkGone(talk);
      checkSame(version, now);
    });
    if ("unchanged" in opened) throw new Error("nobody asked for that");
    return opened.source;
  });
}

/** A file that is no longer there has neither size nor time. */
function checkGone({ answers }: Conversation): void {
  const reply = answers.get("SIZE");
  if (reply?.code === "550") throw replyError(reply, { said: "SIZE", anonymous: false });
}

function checkSame(before: Version, now: Version): void {
  const { size, modified } = now;
  if (size === undefined || modified === undefined)
    throw new AccessError("incomplete", "the server no longer tells both size and time of the file");
  if (size !== before.size) throw contentChangedError(`it has ${size} bytes, and had ${before.size}`);
  if (modified.getTime() === before.modified?.getTime()) return;
  throw contentChangedError(`its time is ${shown(modified)}, and was ${shown(before.modified)}`);
}

function shown(time: Date | undefined): string {
  return time?.toISOString() ?? "not told";
}
