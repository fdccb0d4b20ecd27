import { AccessError, type Limits, type Plan } from "@anyscheme/core";
import { type AccessContext, limitError, type PlanOptions } from "@anyscheme/core/plugin";
import type { Conversation } from "./session.ts";
import { type Errand, type Itinerary, itineraryOf, type Path } from "../plan/phases.ts";
import { ACCOUNT, Login } from "./login.ts";
import type { FtpOptions } from "../options.ts";
import { SessionPool } from "./pool.ts";
import { type Journey, reach, targetOf } from "./acquire.ts";
import { FtpReplyError } from "../control/reply-errors.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { walk } from "./change-directory.ts";

/** Ports of other protocols that a server may offer one after the other: some choose any port by chance, and rarely such a one. */
const MAX_REFUSED_PORTS = 2;

/** Prepares a plan to be performed. Throws `limit` before anything is sent. */
export function journeyOf(
  plan: Plan<FtpUrl>,
  context: AccessContext<unknown>,
  options: PlanOptions,
  settings: FtpOptions,
): Journey {
  const itinerary = itineraryOf(plan);
  checkLength(plan, itinerary, context.limits);
  const pool = context.getShared(() => new SessionPool(settings));
  const { effectiveHost, effectivePort } = plan.url;
  const server = pool.server(`${effectiveHost}:${effectivePort}`);
  const login = new Login(plan.url, server, context, options);
  return { plan, itinerary, context, pool, server, login, settings, refused: new Set() };
}

/** Gets to the directory and does the errand there, which has to `rest` the connection when it has ended well. */
export async function travel<T>(
  journey: Journey,
  run: (talk: Conversation, path: Path) => Promise<T>,
): Promise<T> {
  for (let refusedPorts = 0; ;) {
    const { talk, kept } = await reach(journey);
    talk.connection.farewell = farewellOf(talk, journey);
    try {
      const path = await walk(talk, journey, kept);
      if (path) return await run(talk, path);
      talk.connection.close();
    } catch (error) {
      talk.cancelData();
      const isPort = error instanceof AccessError && error.code === "refused-port" && !talk.hasBegun;
      if ((isPort && ++refusedPorts <= MAX_REFUSED_PORTS) || (await freesPlace(error, talk, journey))) {
        talk.connection.close();
        continue;
      }
      rest(talk, journey);
      // The server may have closed a kept connection just when it was taken.
      if (!kept || talk.heard > 1 || (talk.heard === 1 && talk.connection.inStep)) throw error;
      journey.context.signal.throwIfAborted();
    }
  }
}

/** Whether this connection has to go, and the access to be tried again: its data connection is one too many for the server. */
async function freesPlace(error: unknown, talk: Conversation, journey: Journey): Promise<boolean> {
  if (!(error instanceof FtpReplyError) || !error.isTooManyConnections || talk.hasBegun) return false;
  return journey.context.reportServerFull(targetOf(journey));
}

/** Keeps the connection for a further URL, or closes it. */
export function rest({ connection }: Conversation, { context, pool }: Journey): void {
  const isFound = connection.place !== undefined || connection.home !== undefined;
  if (connection.identity !== ACCOUNT && isFound) pool.give(connection, context);
  else connection.close();
}

/** The connection takes leave in the name of the access that used it last. */
function farewellOf({ connection }: Conversation, { context, itinerary }: Journey): () => void {
  const [quit] = itinerary.leave;
  return () => {
    if (!quit?.bytes) return;
    context.beginStep(quit);
    context.trace({ action: "send", text: quit.description });
    connection.control.send(quit.bytes);
  };
}

/** Sets the type where it is another, and asks what comes before the transfer. */
export async function prepare(talk: Conversation, { type, ask }: Errand): Promise<void> {
  const { connection } = talk;
  if (type && connection.type !== type.code) {
    connection.type = undefined;
    await talk.perform(type.steps);
    connection.type = type.code;
  }
  await talk.perform(ask);
}

/** Bounds the walk before anything is sent. */
function checkLength({ steps }: Plan<FtpUrl>, { depth }: Itinerary, limits: Limits): void {
  if (depth > limits.maxDirectoryDepth)
    throw limitError("maxDirectoryDepth", limits, "the path has too many directories");
  if (steps.some(({ bytes }) => bytes && bytes.length > limits.maxCommandBytes))
    throw limitError("maxCommandBytes", limits, "a name of the path is too long");
}
