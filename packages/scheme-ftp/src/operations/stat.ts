import type { Plan, Stat } from "@anyscheme/core";
import {
  type AccessContext,
  guessMediaType,
  type ResultInit,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { Conversation } from "../session/session.ts";
import { type EntryFacts, parseMlstReply, parseMdtmReply, parseSizeReply } from "../listing/facts.ts";
import type { FtpOptions } from "../options.ts";
import type { Journey } from "../session/acquire.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { journeyOf, prepare, rest, travel } from "../session/run.ts";

const DIRECTORY: EntryFacts = { kind: "directory", size: undefined, modified: undefined };

/** Performs the plan of a stat. */
export function performStat(
  plan: Plan<FtpUrl>,
  context: AccessContext<Stat>,
  options: PlanOptions,
  settings: FtpOptions,
): Promise<ResultInit<Stat>> {
  const journey = journeyOf(plan, context, options, settings);
  return travel(journey, async (talk) => {
    const { kind, size, modified } = await factsOf(talk, journey);
    rest(talk, journey);
    const isFile = kind === "file";
    return {
      kind: isFile ? "content" : kind === "directory" ? "directory" : "unknown",
      size: isFile ? size : undefined,
      modified,
      mediaType: isFile ? guessMediaType(percentDecode(plan.url.name ?? "")) : undefined,
    };
  });
}

async function factsOf(talk: Conversation, { itinerary: { errand } }: Journey): Promise<EntryFacts> {
  // The walk has shown that there is such a directory, and nothing else is to be had.
  if (errand.ask.length === 0) return DIRECTORY;
  await prepare(talk, errand);
  const told = talk.answers.get("MLST");
  const facts = told?.code === "250" ? parseMlstReply(told) : undefined;
  if (facts) return facts;
  const [sizes = [], walk = []] = errand.otherwise ?? [];
  await talk.performBranch(sizes);
  const size = parseSizeReply(talk.answers.get("SIZE"));
  const modified = parseMdtmReply(talk.answers.get("MDTM"));
  if (size !== undefined) return { kind: "file", size, modified };
  talk.connection.place = undefined;
  await talk.performBranch(walk);
  return { ...DIRECTORY, modified };
}
