import { AccessError, type OctetSource, type PlanOptions } from "@anyscheme/core";
import { openFile } from "./open-file.ts";
import type { FtpCallOptions } from "./options.ts";
import { planFtp } from "./plan.ts";
import type { Journey } from "./reach.ts";
import { journeyOf, travel } from "./travel.ts";

/** What a file was when its transfer began. */
export interface Version {
  readonly size: number | undefined;
  readonly modified: Date | undefined;
}

/**
 * The rest of a file from this octet on, by a plan of its own: REST counts octets, and only those of the same file. Throws
 * `incomplete` when the server has another one now. RFC 3659 §5.
 */
export async function reopened(
  offset: number,
  version: Version,
  first: Journey,
  options: PlanOptions & FtpCallOptions,
): Promise<OctetSource> {
  const { plan, context, settings } = first;
  const { size = 0, modified } = version;
  const end = Math.min(options.range?.end ?? Infinity, size);
  const range = { start: offset, ...(options.range?.end === undefined ? {} : { end }) };
  const again = { ...options, range, ifModifiedSince: undefined };
  const { login } = first;
  const journey = { ...journeyOf(planFtp(plan.url, again, settings), context, again, settings), login };
  return travel(journey, async (talk) => {
    const opened = await openFile(talk, journey, again);
    if ("unchanged" in opened) throw new Error("nobody asked for that");
    const now = opened.version;
    if (now.size === size && now.modified?.getTime() === modified?.getTime()) return opened.source;
    opened.source.cancel();
    throw new AccessError("incomplete", "the file has changed since its transfer began");
  });
}
