import type { Plan, Step } from "@anyscheme/core";
import type { Walk } from "./options.ts";
import type { FtpUrl } from "./syntax.ts";

/** One way to the directory of a URL. */
export interface Path {
  readonly walk: Walk;
  /** Equal for paths that lead to the same directory, whatever server it is; `""` is the directory after the login. */
  readonly place: string;
  readonly steps: readonly Step[];
}

/** What is done in the directory. */
export interface Errand {
  /** Sets the type; left out where the connection has it already. */
  readonly type?: { readonly code: "A" | "I"; readonly steps: readonly Step[] } | undefined;
  /** What is asked before the transfer, or instead of one. */
  readonly ask: readonly Step[];
  /** From the data connection to the `transfer`, and what is said while it lasts. */
  readonly transfer?: readonly Step[] | undefined;
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

/** The steps of all parts. */
export function stepsOf({ errand, ...parts }: Itinerary): Step[] {
  return [
    ...parts.open,
    ...parts.login,
    ...parts.protect,
    ...parts.home,
    ...parts.back,
    ...parts.paths.flatMap(({ steps }) => steps),
    ...(errand.type?.steps ?? []),
    ...errand.ask,
    ...(errand.transfer ?? []),
    ...(errand.after ?? []),
    ...(errand.otherwise ?? []).flat(),
    ...parts.leave,
  ];
}
