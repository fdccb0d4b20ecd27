import type { Conversation } from "./session.ts";
import { encodeCommand } from "../plan/encode-command.ts";
import type { Itinerary, Path } from "../plan/phases.ts";
import type { Journey } from "./acquire.ts";
import { FtpReplyError } from "../control/reply-errors.ts";
import { parsePwdReply } from "../control/reply.ts";

/**
 * Walks to the directory of the URL. Gives the path that was taken; `undefined` when only a new connection can get there.
 * RFC 1738 §3.2.2, §3.2.5.
 */
export async function walk(talk: Conversation, journey: Journey, kept: boolean): Promise<Path | undefined> {
  const { itinerary, server, refused } = journey;
  const { connection } = talk;
  const careful = itinerary.errand.repeatable === false;
  const there = itinerary.paths.find(({ place }) => place === connection.place);
  if (there && !(careful && kept)) {
    if (careful) await askHome(talk, itinerary);
    return there;
  }
  let away = connection.place !== "" || (careful && kept);
  for (const path of pathsLeft(journey)) {
    if (away && !(await goHome(talk, itinerary))) return undefined;
    await askHome(talk, itinerary);
    away = true;
    try {
      await take(talk, path);
      if (itinerary.paths.length > 1) server.walk = path.walk;
      return path;
    } catch (error) {
      if (!(error instanceof FtpReplyError) || !error.reply.code.startsWith("5")) throw error;
      refused.add(path);
      if (pathsLeft(journey).length === 0) throw error;
    }
  }
  return undefined;
}

/** The paths that are still to be tried; the one that this server took before comes first. */
function pathsLeft({ itinerary, server, refused }: Journey): Path[] {
  const left = itinerary.paths.filter((path) => !refused.has(path));
  return left.toSorted((one, other) => Number(other.walk === server.walk) - Number(one.walk === server.walk));
}

/** While it lasts, nobody can know where the connection is. */
async function take(talk: Conversation, path: Path): Promise<void> {
  const { connection } = talk;
  if (path.steps.length > 0) connection.place = undefined;
  await talk.performBranch(path.steps);
  connection.place = path.place;
}

async function askHome(talk: Conversation, { home }: Itinerary): Promise<void> {
  const { connection } = talk;
  if (home.length === 0 || connection.home !== undefined || connection.place !== "") return;
  await talk.perform(home);
  connection.home = talk.last && parsePwdReply(talk.last);
}

/** Returns to the directory after the login; false where that cannot be proved. */
async function goHome(talk: Conversation, { back }: Itinerary): Promise<boolean> {
  const { connection } = talk;
  const [change, ...proof] = back;
  if (connection.home === undefined || !change) return false;
  connection.place = undefined;
  const argument = Buffer.from(connection.home, "latin1");
  try {
    talk.context.beginStep(change);
    talk.say(change, encodeCommand({ verb: "CWD", argument, what: "directory" }, {}));
    await talk.performBranch(proof);
  } catch (error) {
    if (error instanceof FtpReplyError) return false;
    throw error;
  }
  if (!talk.last || parsePwdReply(talk.last) !== connection.home) return false;
  connection.place = "";
  return true;
}
