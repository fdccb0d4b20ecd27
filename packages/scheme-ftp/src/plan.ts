import { makePlan, type Plan, type PlanOptions } from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import { BACK, HOME, LEAVE } from "./fixed-steps.ts";
import { type Errand, type Itinerary, stepsOf, withItinerary } from "./itinerary.ts";
import type { FtpCallOptions, FtpOptions } from "./options.ts";
import { loginSteps, openSteps, protectSteps } from "./plan-login.ts";
import { transferErrand } from "./plan-transfer.ts";
import { paths, walksOf } from "./plan-walk.ts";
import { type Say, sayWith } from "./say.ts";
import type { FtpUrl } from "./syntax.ts";

/** The walk of RFC 1738 §3.2.2, and then a list or a transfer. Throws `refused-octets`, `unsupported`. */
export function planFtp(
  url: FtpUrl,
  options: PlanOptions & FtpCallOptions = {},
  settings: FtpOptions = {},
): Plan<FtpUrl> {
  const directories = url.cwd.map((segment) => decodeOctets(segment));
  return journey(url, directories, options, settings, (say) => transferErrand(url, options, settings, say));
}

/** A plan that logs in, walks to the directory, does there what is to be done, and takes leave. */
export function journey(
  url: FtpUrl,
  directories: readonly Uint8Array[],
  options: PlanOptions,
  settings: FtpOptions,
  errand: (say: Say) => Errand,
): Plan<FtpUrl> {
  const say = sayWith(options);
  const walks = walksOf(settings);
  const ways = paths(directories, walks, say);
  const returns = settings.idleMs !== 0 || ways.length > 1;
  const done = errand(say);
  const needsHome = done.repeatable === false || ways.some(({ steps }) => steps.length > 0);
  const itinerary: Itinerary = {
    open: openSteps(url, settings.tls, say),
    login: loginSteps(url, options, say),
    protect: protectSteps(settings.tls, say),
    home: returns && needsHome ? HOME : [],
    back: returns ? BACK : [],
    paths: ways,
    errand: done,
    leave: LEAVE,
  };
  return withItinerary(makePlan(url, stepsOf(itinerary)), itinerary);
}
