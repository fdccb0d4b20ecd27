import type { ContentResource, DirectoryResource, Plan } from "@anyscheme/core";
import {
  type AccessContext,
  guessMediaType,
  type ByteSource,
  type DirectoryCompleteness,
  type NotModifiedResource,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { resumableSource } from "@anyscheme/core/io";
import { crlfToLf } from "./newlines.ts";
import { listingCompleteness, parseListing, type FtpEntry } from "../listing/listing.ts";
import { openFile } from "./start-retrieve.ts";
import type { FtpRequestOptions, FtpOptions, CwdStrategy } from "../options.ts";
import type { Journey } from "../session/acquire.ts";
import { reopened, type Version } from "./resume.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { journeyOf, rest, travel } from "../session/run.ts";

/** How a resource was reached. */
export interface FtpResourceInfo {
  /** How the directories of the URL were walked. */
  readonly cwdStrategy: CwdStrategy;
}

/** What an FTP URL gives: a file, or a directory; `not-modified` when `ifModifiedSince` asks for it. */
export type FtpResource =
  (ContentResource & FtpResourceInfo) | (DirectoryResource<FtpEntry> & FtpResourceInfo) | NotModifiedResource;

/** Performs a plan up to the transfer; the rest of it is performed by whoever reads the resource to its end. */
export function accessFtp(
  plan: Plan<FtpUrl>,
  context: AccessContext,
  options: PlanOptions & FtpRequestOptions,
  settings: FtpOptions,
): Promise<FtpResource> {
  const journey = journeyOf(plan, context, options, settings);
  return travel(journey, async (talk, { walk }) => {
    const opened = await openFile(talk, journey, options);
    if ("unchanged" in opened) {
      rest(talk, journey);
      return context.createResource("not-modified", { modified: opened.unchanged });
    }
    const { source, verb, version } = opened;
    const { url } = plan;
    const extra = { cwdStrategy: walk };
    if (verb !== "RETR") {
      const cancel = (): void => source.cancel();
      const entries = parseListing(source, verb, url, context.limits);
      const completeness = (): DirectoryCompleteness => listingCompleteness(source.confirmation);
      return context.createDirectory({ entries, completeness, cancel, extra });
    }
    return context.createContent({
      source: bodyOf(source, version, journey, options),
      mediaType: guessMediaType(percentDecode(url.name ?? "")),
      // The server counts its own line ends, and the body may have others.
      size: journey.itinerary.errand.type?.code === "A" ? undefined : lengthOf(version.size, options),
      // SIZE was asked before RETR, and the server confirms the end of the transfer by its reply.
      sizeMayGrow: true,
      modified: version.modified,
      extra,
    });
  });
}

function lengthOf(size: number | undefined, { range }: PlanOptions): number | undefined {
  if (!range || size === undefined) return size;
  return Math.min(range.end ?? Infinity, size) - range.start;
}

function bodyOf(
  source: ByteSource,
  version: Version,
  journey: Journey,
  options: PlanOptions & FtpRequestOptions,
): ByteSource {
  const { itinerary, settings, context } = journey;
  const { asciiNewlines: lineEnds = "lf" } = settings;
  if (itinerary.errand.type?.code === "A") return lineEnds === "lf" ? crlfToLf(source) : source;
  const { resume } = options;
  // Without both it cannot be told whether the file is still the same.
  if (!resume || version.size === undefined || !version.modified) return source;
  return resumableSource(source, {
    resume,
    signal: context.signal,
    start: options.range?.start,
    reopen: (offset) => reopened(offset, version, journey, options),
  });
}
