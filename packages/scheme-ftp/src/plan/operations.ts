import { AccessError, type Plan, type Step } from "@anyscheme/core";
import type { PlanOptions } from "@anyscheme/core/plugin";
import type { Errand } from "./phases.ts";
import type { FtpRequestOptions, FtpOptions } from "../options.ts";
import { journey } from "./plan.ts";
import { typePart } from "./retrieve.ts";
import { joined } from "./directory.ts";
import { hear, type Say } from "./steps.ts";
import { requireName, type FtpTarget, parseTarget } from "../url/target.ts";
import { FtpUrl } from "../url/syntax.ts";

type CallOptions = PlanOptions & FtpRequestOptions;

/** MLST tells everything at once; a server without it is asked for size and time, and whether one can walk there. */
export function planStat(url: FtpUrl, options: CallOptions, settings: FtpOptions): Plan<FtpUrl> {
  const { directories, name, isDirectory } = parseTarget(url);
  return journey(url, directories, options, settings, (say) => {
    if (name === undefined) return { ask: [] };
    const argument = { argument: name, what: "name" };
    const walk = [
      say({ verb: "CWD", ...argument }, "RFC 959 4.1.1", { when: "5" }),
      hear(["2"], "250, it is a directory", "5"),
    ];
    return {
      // SIZE is that of the bytes as they are.
      type: typePart({ code: "I", reason: "sizes are counted in bytes" }, "RFC 3659 4", say),
      ask: [
        say({ verb: "MLST", ...argument }, "RFC 3659 7"),
        hear(["250", "50"], "250 and the facts; 500 to 504, MLST is not known"),
      ],
      otherwise: [
        isDirectory
          ? []
          : [
              say({ verb: "SIZE", ...argument }, "RFC 3659 4", { when: "50" }),
              say({ verb: "MDTM", ...argument }, "RFC 3659 3", { when: "50" }),
              hear(["213", "5"], "213 and the number of bytes", "50"),
              hear(["213", "5"], "213 and the time of the last change, UTC", "50"),
            ],
        walk,
      ],
    };
  });
}

/** Gives something another name. */
export function renameSteps(from: Uint8Array, to: Uint8Array, say: Say): Step[] {
  return [
    say({ verb: "RNFR", argument: from, what: "name" }, "RFC 959 4.1.3"),
    hear(["3"], "350, send the new name"),
    say({ verb: "RNTO", argument: to, what: "name" }, "RFC 959 4.1.3"),
    hear(["2"], "250, renamed"),
  ];
}

/** DELE for a file, RMD for a URL that ends with "/". RFC 959 §4.1.3. */
export function planDelete(url: FtpUrl, options: CallOptions, settings: FtpOptions): Plan<FtpUrl> {
  const subject = parseTarget(url);
  const verb = subject.isDirectory ? "RMD" : "DELE";
  return planOne(url, subject, verb, options, settings);
}

/** MKD, with or without a "/" at the end of the URL. RFC 959 §4.1.3. */
export function planMakeDirectory(url: FtpUrl, options: CallOptions, settings: FtpOptions): Plan<FtpUrl> {
  return planOne(url, parseTarget(url), "MKD", options, settings);
}

function planOne(
  url: FtpUrl,
  subject: FtpTarget,
  verb: string,
  options: CallOptions,
  settings: FtpOptions,
): Plan<FtpUrl> {
  const argument = requireName(subject);
  return journey(url, subject.directories, options, settings, (say) => ({
    repeatable: false,
    ask: [say({ verb, argument, what: "name" }, "RFC 959 4.1.3"), hear(["2"], "250, done")],
  }));
}

/**
 * RNFR and RNTO. Within one directory the new name is a name; between two, both are paths from the directory after the login
 * with slashes in them, since no CWD may come between the two commands.
 */
export function planRename(
  url: FtpUrl,
  options: CallOptions & { readonly to?: unknown },
  settings: FtpOptions,
): Plan<FtpUrl> {
  const { to } = options;
  if (!(to instanceof FtpUrl) || authority(to) !== authority(url))
    throw new AccessError(
      "unsupported",
      "something can only be renamed to a URL of the same server and login",
    );
  const [from, target] = [parseTarget(url), parseTarget(to)];
  const [old, fresh] = [requireName(from), requireName(target)];
  const together = String(joined(from.directories)) === String(joined(target.directories));
  const errand = (say: Say): Errand => ({
    repeatable: false,
    ask: together
      ? renameSteps(old, fresh, say)
      : renameSteps(joined([...from.directories, old]), joined([...target.directories, fresh]), say),
  });
  return journey(url, together ? from.directories : [], options, settings, errand);
}

function authority({ effectiveHost, effectivePort, user, password }: FtpUrl): string {
  return JSON.stringify([effectiveHost, effectivePort, user, password]);
}
