import { AccessError, type AccessContext, type Plan, type Step } from "@anyscheme/core";
import { pause } from "@anyscheme/core/wire";
import { Connection } from "./connection.ts";
import { Control } from "./control.ts";
import { Conversation } from "./conversation.ts";
import type { Itinerary, Path } from "./itinerary.ts";
import type { Login } from "./login.ts";
import type { FtpOptions } from "./options.ts";
import type { Pool, ServerRecord } from "./pool.ts";
import { RefusedError } from "./refusal.ts";
import type { FtpUrl } from "./syntax.ts";

/** What an access works with. */
export interface Journey {
  readonly plan: Plan<FtpUrl>;
  readonly itinerary: Itinerary;
  readonly context: AccessContext<unknown>;
  readonly pool: Pool;
  readonly server: ServerRecord;
  readonly login: Login;
  readonly settings: FtpOptions;
  /** Paths that the server has refused. */
  readonly refused: Set<Path>;
}

/** How often a server that seems not to have noticed a closed connection is asked again, and how soon. */
const MAX_PATIENCE = 10;
const PATIENCE_MS = 50;

/** A conversation on a connection that is logged in. */
export interface Reached {
  readonly talk: Conversation;
  /** Whether another access has opened it. */
  readonly kept: boolean;
}

/** Finds a connection that was kept, or opens a new one. */
export async function reach(journey: Journey): Promise<Reached> {
  const { pool, server, context, login, itinerary } = journey;
  const known = login.identities();
  const identities = "then" in known ? await known : known;
  const isThere = ({ place }: Connection): boolean => itinerary.paths.some((path) => path.place === place);
  // One that was opened for an access which then found another has not gone anywhere.
  const isHome = ({ place }: Connection): boolean => place === "";
  const canReturn = ({ home }: Connection): boolean => home !== undefined;
  // What must not be done twice goes only where the way back proves that the server is still there.
  const suits = itinerary.errand.repeatable === false ? [canReturn] : [isThere, isHome, canReturn];
  const take = (): Connection | undefined => pool.take(identities, suits, context);
  const makeRoom = (): void => pool.closeOneOf(server);
  for (let count = 0; ; count++) {
    const again = count > 0;
    const acquired = server.governor.acquire({ take, makeRoom, context, again });
    const connection = acquired && "then" in acquired ? await acquired : acquired;
    if (connection) return { talk: new Conversation(connection, context, login), kept: true };
    try {
      return await openOrFind(journey, take);
    } catch (error) {
      if (!(error instanceof RefusedError && error.meansFull) || count >= MAX_PATIENCE) throw error;
      const outlook = server.governor.refused();
      if (outlook === "never") throw error;
      if (outlook === "soon") await pause(PATIENCE_MS * (count + 1), context.signal);
    }
  }
}

/** A new connection, or one that comes free before the new one is open, which is then kept for the next. */
async function openOrFind(journey: Journey, take: () => Connection | undefined): Promise<Reached> {
  const { server, context, login, pool } = journey;
  let own: Connection | undefined;
  const opening = open(journey, (connection) => (own = connection));
  const other = server.governor.meanwhile(take);
  const opened = opening.then(
    (talk): Reached => {
      const found = other.stop();
      if (!found) return { talk, kept: false };
      pool.give(talk.connection, context);
      return { talk: new Conversation(found, context, login), kept: true };
    },
    (error: unknown): Reached => {
      const found = other.stop();
      if (!found) throw error;
      return { talk: new Conversation(found, context, login), kept: true };
    },
  );
  opened.catch(() => undefined);
  const found = other.found.then((free) => {
    // It is finished for the next, and this access may well be over before.
    if (own?.control.isOpen) context.release(own.socket);
    return { talk: new Conversation(free, context, login), kept: true };
  });
  return Promise.race([found, opened]);
}

/** Opens a connection, which is told, and logs in. */
async function open(journey: Journey, tell: (connection: Connection) => void): Promise<Conversation> {
  const { context, itinerary, pool, server, login } = journey;
  let talk: Conversation | undefined;
  try {
    for (const step of itinerary.open) talk = await openStep(step, journey, talk);
    if (!talk) throw new Error("the plan speaks before it connects");
    await talk.perform(itinerary.login);
    if (talk.connection.trust) await talk.performBranch(itinerary.protect);
    talk.connection.identity = login.identity;
    server.governor.established();
    return talk;
  } catch (error) {
    if (talk) talk.connection.control.close();
    else server.governor.closed(false);
    throw error;
  }

  // "resolve" is done by the dialler as part of "connect": one look-up, checked and pinned.
  async function openStep(
    step: Step,
    { settings }: Journey,
    spoken: Conversation | undefined,
  ): Promise<Conversation | undefined> {
    context.enter(step);
    if (step.action === "connect" && step.target) {
      const socket = await context.dial(step.target);
      const implicit = itinerary.open.find(({ action, when }) => action === "secure" && when === undefined);
      if (implicit) context.enter(implicit);
      const trust = { ca: settings.ca };
      const safe = implicit ? await context.secure(socket, step.target.host, trust) : socket;
      const connection = new Connection(new Control(safe, context.limits), server);
      if (implicit) connection.trust = trust;
      safe.once("close", () => pool.closed(connection));
      tell(connection);
      return new Conversation(connection, context, login);
    }
    if (!spoken) return undefined;
    if (step.action !== "secure") await spoken.perform([step]);
    else if (step.when !== undefined && spoken.last?.code.startsWith(step.when))
      await startTls(spoken, step, { ca: settings.ca });
    return spoken;
  }
}

/** What came in clear text behind the last reply is an attempt to have it taken for something that TLS protects. */
async function startTls(
  talk: Conversation,
  { target }: Step,
  trust: { ca: FtpOptions["ca"] },
): Promise<void> {
  const { connection, context } = talk;
  if (!target) throw new Error("the plan secures a connection to nobody");
  if (!connection.control.isQuiet)
    throw new AccessError("protocol", "the server sent more in clear text after it had agreed to TLS");
  connection.control.upgrade(await context.secure(connection.socket, target.host, trust));
  connection.trust = trust;
}
