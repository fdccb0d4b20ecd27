import { AccessError, type OctetSource, type PlanOptions } from "@anyscheme/core";
import type { Conversation } from "./conversation.ts";
import { modifiedIn, sizeIn } from "./facts.ts";
import type { Journey } from "./reach.ts";
import type { Version } from "./reopen.ts";
import { Transfer } from "./transfer.ts";
import { prepare, rest } from "./travel.ts";

const NOTHING: OctetSource = { read: () => Promise.resolve("end"), cancel: () => undefined };

/** A transfer that has begun, or the reason why none has. */
export type Opened =
  | { readonly source: OctetSource; readonly verb: string; readonly version: Version }
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
  const version = { size: sizeIn(talk.answers.get("SIZE")), modified: modifiedIn(talk.answers.get("MDTM")) };
  const { size, modified } = version;
  check?.(version);
  if (ifModifiedSince && modified && modified <= ifModifiedSince) return { unchanged: modified };
  const { start = 0, end = Infinity } = range ?? {};
  if (size !== undefined && start > size)
    throw new AccessError("no-data-object", `the range begins at ${start}, and the file has ${size} octets`);
  // Nothing is left of it, and some servers refuse to begin at the end.
  if (size !== undefined && size > 0 && start === size) {
    rest(talk, journey);
    return { source: NOTHING, verb: "RETR", version };
  }
  const { transfer = [], receive } = errand;
  if (!receive) throw new Error("the plan receives nothing");
  await talk.perform(transfer);
  const [begin, noop, ...confirm] = receive;
  const source = new Transfer(talk, await talk.data.inflow, {
    begin,
    noop,
    confirm,
    expected: size === undefined ? undefined : size - start,
    // To the end of the file there is a reply that confirms it; before, the octets are counted.
    wanted: end === Infinity || (size !== undefined && end >= size) ? undefined : end - start,
    noopMs: journey.settings.noopMs,
    rest: () => rest(talk, journey),
  });
  return { source, verb: talk.pending, version };
}
