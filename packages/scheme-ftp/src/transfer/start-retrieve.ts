import { AccessError } from "@anyscheme/core";
import type { ByteSource, PlanOptions } from "@anyscheme/core/plugin";
import type { Conversation } from "../session/session.ts";
import { parseMdtmReply, parseSizeReply } from "../listing/facts.ts";
import type { Journey } from "../session/acquire.ts";
import type { Version } from "./resume.ts";
import { FtpReplyError } from "../control/reply-errors.ts";
import type { Reply } from "../control/reply.ts";
import { Transfer } from "./body.ts";
import { prepare, rest } from "../session/run.ts";

/** The bytes of a transfer, and the reply that has confirmed their end. */
export interface ConfirmedSource extends ByteSource {
  readonly confirmation?: Reply | undefined;
}

const NOTHING: ConfirmedSource = { read: () => Promise.resolve("end"), cancel: () => undefined };

/** A transfer that has begun, or the reason why none has. */
export type Opened =
  | { readonly source: ConfirmedSource; readonly verb: string; readonly version: Version }
  | { readonly unchanged: Date };

/** Performs the errand up to the transfer; `check` comes before it, and throws when the file is not the one that is wanted. */
export async function openFile(
  talk: Conversation,
  journey: Journey,
  { range, ifModifiedSince }: PlanOptions,
  check?: (version: Version) => void,
): Promise<Opened> {
  const { errand } = journey.itinerary;
  await prepare(talk, errand);
  const version = {
    size: parseSizeReply(talk.answers.get("SIZE")),
    modified: parseMdtmReply(talk.answers.get("MDTM")),
  };
  const { size, modified } = version;
  check?.(version);
  if (ifModifiedSince && modified && modified <= ifModifiedSince) return { unchanged: modified };
  const { start = 0, end = Infinity } = range ?? {};
  if (size !== undefined && start > size)
    throw new AccessError("out-of-range", `the range begins at ${start}, and the file has ${size} bytes`);
  // Nothing is left of it, and some servers refuse to begin at the end.
  if (size !== undefined && size > 0 && start === size) {
    rest(talk, journey);
    return { source: NOTHING, verb: "RETR", version };
  }
  const { transfer = [], receive } = errand;
  if (!receive) throw new Error("the plan receives nothing");
  try {
    await talk.perform(transfer);
  } catch (error) {
    if (!(error instanceof FtpReplyError)) throw error;
    // Behind the end of a file whose size the server does not tell. RFC 3659 §5.4.
    if (start > 0 && error.reply.code === "554") throw new AccessError("out-of-range", error.messageParts);
    if (!error.isEmptyListing) throw error;
    talk.cancelData();
    rest(talk, journey);
    return { source: NOTHING, verb: error.command, version };
  }
  const [begin, noop, ...confirm] = receive;
  const source = new Transfer(talk, await talk.opened(), {
    begin,
    noop,
    confirm,
    expected: size === undefined ? undefined : size - start,
    // To the end of the file there is a reply that confirms it; before, the bytes are counted.
    wanted: end === Infinity || (size !== undefined && end >= size) ? undefined : end - start,
    noopMs: journey.settings.keepAliveIntervalMs,
    rest: () => rest(talk, journey),
  });
  return { source, verb: talk.pending, version };
}
