import {
  type AccessContext,
  type ContentResource,
  type DirectoryResource,
  limitReached,
  type Limits,
  mediaTypeOf,
  type Plan,
} from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import { entriesOf, type FtpEntry } from "./listing.ts";
import { Session } from "./session.ts";
import type { FtpUrl } from "./syntax.ts";
import { Transfer } from "./transfer.ts";

/** What an FTP URL gives: a file, or a directory. */
export type FtpResource = ContentResource | DirectoryResource<FtpEntry>;

/** Performs a plan up to the transfer; the rest of it is performed by whoever reads the resource to its end. */
export async function accessFtp(plan: Plan<FtpUrl>, context: AccessContext): Promise<FtpResource> {
  const { url } = plan;
  const { limits } = context;
  checkLength(plan, limits);
  const session = new Session(plan, context);
  const source = new Transfer(session, await session.begin());
  if (session.command === "RETR") {
    return context.content({ source, mediaType: mediaTypeOf(decodeOctets(url.name ?? "")) });
  }
  return context.directory({
    entries: entriesOf(source, session.command, url, limits),
    cancel: () => source.cancel(),
  });
}

/** Bounds the walk before anything is sent. */
function checkLength({ url, steps }: Plan<FtpUrl>, limits: Limits): void {
  if (url.cwd.length > limits.maxCwdSegments)
    throw limitReached("maxCwdSegments", limits, "the path has too many directories");
  if (steps.some(({ octets }) => octets && octets.length > limits.maxCommandBytes))
    throw limitReached("maxCommandBytes", limits, "a name of the path is too long");
}
