import { AccessError, type Plan, type Step } from "@anyscheme/core";
import type { AccessContext, Endpoint } from "@anyscheme/core/plugin";
import { isRefusedOrReset } from "@anyscheme/core/io";
import { Connection } from "./pooled-connection.ts";
import { Control } from "../control/control-connection.ts";
import { Conversation } from "./session.ts";
import type { Itinerary, Path } from "../plan/phases.ts";
import type { Login } from "./login.ts";
import type { FtpOptions } from "../options.ts";
import type { SessionPool, ServerRecord } from "./pool.ts";
import { FtpReplyError } from "../control/reply-errors.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** What an access works with. */
export interface Journey {
  readonly plan: Plan<FtpUrl>;
  readonly itinerary: Itinerary;
  readonly context: AccessContext<unknown>;
  readonly pool: SessionPool;
  readonly server: ServerRecord;
  readonly login: Login;
  readonly settings: FtpOptions;
  /** Paths that the server has refused. */
  readonly refused: Set<Path>;
}

/** A conversation on a connection that is logged in. */
export interface Reached {
  readonly talk: Conversation;
  /** Whether another access has opened it. */
  readonly kept: boolean;
}

/** Finds a connection that was kept, or opens a new one. */
export async function reach(journey: Journey): Promise<Reached> {
  const { pool, context, login, itinerary } = journey;
  const known = login.identities();
  const identities = "then" in known ? await known : known;
  const isThere = ({ place }: Connection): boolean => itinerary.paths.some((path) => path.place === place);
  // One that was opened for an access which then found another has not gone anywhere.
  const isHome = ({ place }: Connection): boolean => place === "";
  const canReturn = ({ home }: Connection): boolean => home !== undefined;
  // What must not be done twice goes only where the way back proves that the server is still there.
  const suits = itinerary.errand.repeatable === false ? [canReturn] : [isThere, isHome, canReturn];
  const take = (): Reached | undefined => {
    const connection = pool.take(identities, suits, context);
    return connection && { talk: new Conversation(connection, context, login), kept: true };
  };
  let opened: Connection | undefined;
  return context.acquireConnection<Reached>(targetOf(journey), {
    takeIdle: take,
    async open() {
      opened = undefined;
      const talk = await open(journey, (connection) => (opened = connection));
      return { talk, kept: false };
    },
    isServerFull: (error) => meansFull(error, opened),
    keepIdle: ({ talk }) => pool.give(talk.connection, context),
  });
}

/** The server of a journey. */
export function targetOf({ plan }: Journey): Endpoint {
  return { host: plan.url.effectiveHost, port: plan.url.effectivePort };
}

/** Whether a server that could not be logged in to has as many connections as it takes. */
function meansFull(error: unknown, opened: Connection | undefined): boolean {
  if (error instanceof FtpReplyError) return error.isTooManyConnections || error.reply.code === "421";
  if (!opened) return isRefusedOrReset(error);
  return error instanceof AccessError && error.code === "unavailable" && !opened.control.hasGreeted;
}

/** Opens a connection, which is told, and logs in. */
async function open(journey: Journey, tell: (connection: Connection) => void): Promise<Conversation> {
  const { context, itinerary, server, login } = journey;
  let talk: Conversation | undefined;
  try {
    for (const step of itinerary.open) talk = await openStep(step, journey, talk);
    if (!talk) throw new Error("the plan speaks before it connects");
    await talk.perform(itinerary.login);
    if (talk.connection.trust) await talk.performBranch(itinerary.protect);
    talk.connection.identity = login.identity;
    return talk;
  } catch (error) {
    talk?.connection.control.close();
    throw error;
  }

  // "resolve" is done by the dialler as part of "connect": one look-up, checked and pinned.
  async function openStep(
    step: Step,
    { settings }: Journey,
    spoken: Conversation | undefined,
  ): Promise<Conversation | undefined> {
    context.beginStep(step);
    if (step.action === "connect" && step.target) {
      const socket = await context.connect(step.target);
      const implicit = itinerary.open.find(
        ({ action, onReply: when }) => action === "tls" && when === undefined,
      );
      if (implicit) context.beginStep(implicit);
      const trust = { ca: settings.ca };
      const safe = implicit ? await context.startTls(socket, step.target.host, trust) : socket;
      const connection = new Connection(new Control(safe, context.limits), server);
      if (implicit) connection.trust = trust;
      tell(connection);
      return new Conversation(connection, context, login);
    }
    if (!spoken) return undefined;
    if (step.action !== "tls") await spoken.perform([step]);
    else if (step.onReply !== undefined && spoken.last?.code.startsWith(step.onReply))
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
  connection.control.upgrade(await context.startTls(connection.socket, target.host, trust));
  connection.trust = trust;
}
