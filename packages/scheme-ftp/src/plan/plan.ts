import type { Plan, Step } from "@anyscheme/core";
import { makePlan, type PlanOptions } from "@anyscheme/core/plugin";
import { BACK, HOME, LEAVE } from "./common-steps.ts";
import { type Errand, type Itinerary, type Path, stepsOf, withItinerary } from "./phases.ts";
import type { FtpRequestOptions, FtpOptions } from "../options.ts";
import { loginSteps, openSteps, protectSteps } from "./login.ts";
import { transferErrand } from "./retrieve.ts";
import { pathsOf, pathsTo } from "./directory.ts";
import { type Say, sayWith } from "./steps.ts";
import type { FtpUrl } from "../url/syntax.ts";

const NONE: readonly Step[] = [];

/** The walk of RFC 1738 §3.2.2, and then a list or a transfer. Throws `refused-characters`, `unsupported`. */
export function planFtp(
  url: FtpUrl,
  options: PlanOptions & FtpRequestOptions = {},
  settings: FtpOptions = {},
): Plan<FtpUrl> {
  const { cwd } = url;
  const ways = pathsOf(cwd, settings, options);
  return planVia(ways, cwd.length, url, options, settings, (say) =>
    transferErrand(url, options, settings, say),
  );
}

/** A plan that logs in, walks to the directory, does there what is to be done, and takes leave. */
export function journey(
  url: FtpUrl,
  directories: readonly Uint8Array[],
  options: PlanOptions,
  settings: FtpOptions,
  errand: (say: Say) => Errand,
): Plan<FtpUrl> {
  const ways = pathsTo(directories, settings, options);
  return planVia(ways, directories.length, url, options, settings, errand);
}

function planVia(
  ways: readonly Path[],
  depth: number,
  url: FtpUrl,
  options: PlanOptions,
  settings: FtpOptions,
  errand: (say: Say) => Errand,
): Plan<FtpUrl> {
  const say = sayWith(options);
  const returns = settings.idleTimeoutMs !== 0 || ways.length > 1;
  const done = errand(say);
  const needsHome = done.repeatable === false || ways.some(({ steps }) => steps.length > 0);
  const itinerary: Itinerary = {
    open: openSteps(url, settings.tls),
    login: loginSteps(url, options, say),
    protect: protectSteps(settings.tls, say),
    home: returns && needsHome ? HOME : NONE,
    back: returns ? BACK : NONE,
    paths: ways,
    depth,
    errand: done,
    leave: LEAVE,
  };
  return withItinerary(makePlan(url, stepsOf(itinerary, url.user === undefined)), itinerary);
}
