import type { Plan, Step } from "@anyscheme/core";
import type { CwdStrategy } from "../options.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** One way to the directory of a URL. */
export interface Path {
  readonly walk: CwdStrategy;
  /** Equal for paths that lead to the same directory, whatever server it is; `""` is the directory after the login. */
  readonly place: string;
  readonly steps: readonly Step[];
}

/** The `transfer`, NOOP, and the reply that confirms the end. */
export type Receiving = readonly [begin: Step, noop: Step, confirmed: Step];

/** What is done in the directory. */
export interface Errand {
  /** Sets the type; left out where the connection has it already. */
  readonly type?: { readonly code: "A" | "I"; readonly steps: readonly Step[] } | undefined;
  /** What is asked before the transfer, or instead of one. */
  readonly ask: readonly Step[];
  /** From the data connection to the reply with which the transfer begins. */
  readonly transfer?: readonly Step[] | undefined;
  /** The `transfer` itself, what is said while bytes come, and the reply that confirms them. */
  readonly receive?: Receiving | undefined;
  /** The same of bytes that go. */
  readonly send?: readonly Step[] | undefined;
  /** What follows the transfer. */
  readonly after?: readonly Step[] | undefined;
  /** Branches, each one performed when what came before leads to it. */
  readonly otherwise?: readonly (readonly Step[])[] | undefined;
  /** Whether it may be done twice, for when a kept connection turns out to be dead. Default true. */
  readonly repeatable?: boolean | undefined;
}

/** The parts of a plan, in its order. Which of them are performed depends on the connection that there is already. */
export interface Itinerary {
  /** Opens the control connection; with TLS, secures it. */
  readonly open: readonly Step[];
  readonly login: readonly Step[];
  /** Has the data connections secured; left out on a connection without TLS. */
  readonly protect: readonly Step[];
  /** Asks for the directory after the login, which makes a return to it possible. */
  readonly home: readonly Step[];
  /** Returns to that directory, and proves it; left out where the connection is there, or where it has to be. */
  readonly back: readonly Step[];
  /** The ways to the directory; the first one that the server takes is gone. */
  readonly paths: readonly Path[];
  /** How many directories they lead through. */
  readonly depth: number;
  readonly errand: Errand;
  /** Takes leave; left out as long as the connection is kept. */
  readonly leave: readonly Step[];
}

const itineraries = new WeakMap<Plan, Itinerary>();

/** Notes the parts of a plan. */
export function withItinerary(plan: Plan<FtpUrl>, itinerary: Itinerary): Plan<FtpUrl> {
  itineraries.set(plan, itinerary);
  return plan;
}

/** The parts of a plan that this scheme has made. */
export function itineraryOf(plan: Plan): Itinerary {
  const itinerary = itineraries.get(plan);
  if (!itinerary) throw new Error("the plan is not one of the scheme ftp");
  return itinerary;
}

/** The parts of a plan that come before the errand. */
type Approach = Pick<Itinerary, "open" | "login" | "protect" | "home" | "back" | "paths">;

/** The steps to the last directory, which is often that of the next file, too. Never those of a login with a password. */
let last: { readonly approach: Approach; readonly steps: readonly Step[] } | undefined;

function isSame(one: Approach, other: Approach): boolean {
  return (
    one.open === other.open &&
    one.login === other.login &&
    one.protect === other.protect &&
    one.home === other.home &&
    one.back === other.back &&
    one.paths === other.paths
  );
}

function stepsBefore(itinerary: Itinerary, isAnonymous: boolean): readonly Step[] {
  if (isAnonymous && last && isSame(last.approach, itinerary)) return last.steps;
  const { open, login, protect, home, back, paths } = itinerary;
  const walks = paths.flatMap((path) => path.steps);
  const steps = [...open, ...login, ...protect, ...home, ...back, ...walks];
  if (isAnonymous) last = { approach: { open, login, protect, home, back, paths }, steps };
  return steps;
}

/** The steps of all parts. */
export function stepsOf(itinerary: Itinerary, isAnonymous: boolean): Step[] {
  const { type, ask, transfer, receive, send, after, otherwise } = itinerary.errand;
  const steps = [...stepsBefore(itinerary, isAnonymous)];
  if (type) steps.push(...type.steps);
  steps.push(...ask);
  if (transfer) steps.push(...transfer);
  if (receive) steps.push(...receive);
  if (send) steps.push(...send);
  if (after) steps.push(...after);
  for (const branch of otherwise ?? []) steps.push(...branch);
  steps.push(...itinerary.leave);
  return steps;
}
