import type { Step } from "@anyscheme/core";
import { delay } from "@anyscheme/core/io";
import type { Conversation } from "../session/session.ts";
import type { Journey } from "../session/acquire.ts";
import { rest, travel } from "../session/run.ts";

/** How long a put that has failed tries on each connection to remove what it has left. In milliseconds. */
const REMOVAL_MS = 5_000;

/**
 * Stores, or removes by these steps what storing has left on the server: on the same connection where that is open, even when
 * the caller has given up, else on another. It is tried once and for a short time; what has failed first is what is thrown.
 */
export async function orRemoved<T>(
  talk: Conversation,
  journey: Journey,
  removal: readonly Step[] | undefined,
  store: () => Promise<T>,
): Promise<T> {
  if (!removal) return store();
  const { signal } = journey.context;
  let timer: NodeJS.Timeout | undefined;
  // What the access has opened is closed when it is given up, and this connection is still needed.
  const keep = (): void => {
    journey.context.detach(talk.connection.socket);
    timer = setTimeout(() => talk.connection.control.close(), REMOVAL_MS);
  };
  signal.addEventListener("abort", keep);
  try {
    return await store();
  } catch (error) {
    if (talk.mayHaveBegun("STOR")) {
      const removed = await removeHere(talk, removal);
      if (!removed && !signal.aborted) await removeElsewhere(journey, removal);
    }
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", keep);
  }
}

async function removeHere(talk: Conversation, removal: readonly Step[]): Promise<boolean> {
  const { control } = talk.connection;
  if (!control.isOpen) return false;
  const timer = setTimeout(() => control.close(), REMOVAL_MS);
  try {
    await talk.catchUp();
    await talk.performBranch(removal);
    return true;
  } catch {
    control.close();
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function removeElsewhere(journey: Journey, removal: readonly Step[]): Promise<void> {
  const removing = travel(journey, async (talk) => {
    await talk.performBranch(removal);
    rest(talk, journey);
  });
  const over = new AbortController();
  await Promise.race([removing, delay(REMOVAL_MS, over.signal)]).catch(() => undefined);
  over.abort();
}
