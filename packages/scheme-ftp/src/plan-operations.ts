import { AccessError, type Plan, type PlanOptions, type PutOptions, type Step, step } from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import { BEGINS, DATA, PASSIVE } from "./fixed-steps.ts";
import type { Errand } from "./itinerary.ts";
import type { FtpCallOptions, FtpOptions } from "./options.ts";
import { journey } from "./plan.ts";
import { restartSteps, typePart } from "./plan-transfer.ts";
import { joined } from "./plan-walk.ts";
import { hear, type Say } from "./say.ts";
import { FtpUrl } from "./syntax.ts";

type CallOptions = PlanOptions & FtpCallOptions;

/** What an operation works on: a name in a directory; for a URL that ends with "/", the last directory. */
interface Subject {
  readonly directories: readonly Uint8Array[];
  /** `undefined` is the directory after the login, which has no name. */
  readonly name: Uint8Array | undefined;
  readonly isDirectory: boolean;
}

function subjectOf(url: FtpUrl): Subject {
  const directories = url.cwd.map((segment) => decodeOctets(segment));
  const name = decodeOctets(url.name ?? "");
  if (name.length > 0) return { directories, name, isDirectory: false };
  return { directories: directories.slice(0, -1), name: directories.at(-1), isDirectory: true };
}

function named({ name }: Subject): Uint8Array {
  if (name) return name;
  throw new AccessError("unsupported", "the URL names nothing but the directory after the login");
}

/** MLST tells everything at once; a server without it is asked for size and time, and whether one can walk there. */
export function planStat(url: FtpUrl, options: CallOptions, settings: FtpOptions): Plan<FtpUrl> {
  const { directories, name, isDirectory } = subjectOf(url);
  return journey(url, directories, options, settings, (say) => {
    if (name === undefined) return { ask: [] };
    const argument = { argument: name, what: "name" };
    const walk = [
      say({ verb: "CWD", ...argument }, "RFC 959 4.1.1", { when: "5" }),
      hear(["2"], "250, it is a directory", "5"),
    ];
    return {
      // SIZE is that of the octets as they are.
      type: typePart({ code: "I", reason: "sizes are counted in octets" }, "RFC 3659 4", say),
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
              hear(["213", "5"], "213 and the number of octets", "50"),
              hear(["213", "5"], "213 and the time of the last change, UTC", "50"),
            ],
        walk,
      ],
    };
  });
}

/** The name that an atomic put writes to first. */
function besideName(name: Uint8Array): Uint8Array {
  return Uint8Array.from([...name, ...new TextEncoder().encode(".anyscheme-part")]);
}

/** STOR, APPE, or STOR under another name and a change of names. RFC 959 §4.1.3, RFC 3659 §5. */
export function planPut(url: FtpUrl, options: CallOptions & PutOptions, settings: FtpOptions): Plan<FtpUrl> {
  const subject = subjectOf(url);
  if (subject.isDirectory || (options.type ?? url.type?.toLowerCase()) === "d")
    throw new AccessError("unsupported", "the URL names a directory, which has no content to write");
  const { atomic = false, at = 0 } = options;
  if (atomic && at !== 0)
    throw new AccessError(
      "unsupported",
      "only the whole of a file can be written beside it and then renamed",
    );
  const isText = (options.type ?? url.type?.toLowerCase()) === "a";
  if (isText && typeof at === "number" && at > 0)
    throw new AccessError("unsupported", "a place in a text cannot be counted in octets");
  const name = named(subject);
  const target = atomic ? besideName(name) : name;
  const type = { code: isText ? "A" : "I", reason: isText ? "as given" : "unless given, as it is" } as const;
  return journey(url, subject.directories, options, settings, (say) => ({
    repeatable: false,
    type: typePart(type, "3.2.2", say),
    ask: PASSIVE,
    transfer: [
      DATA,
      ...(typeof at === "number" && at > 0 ? restartSteps(at, say) : []),
      say({ verb: at === "end" ? "APPE" : "STOR", argument: target, what: "name" }, "RFC 959 4.1.3"),
      BEGINS,
      step(
        "transfer",
        "RFC 959 4.1.3",
        `the octets of the file${isText ? ", their line ends made CR LF" : ""}`,
      ),
      hear(["2"], "226 or 250: only now everything is stored"),
    ],
    after: atomic ? renameSteps(target, name, say) : [],
  }));
}

function renameSteps(from: Uint8Array, to: Uint8Array, say: Say): Step[] {
  return [
    say({ verb: "RNFR", argument: from, what: "name" }, "RFC 959 4.1.3"),
    hear(["3"], "350, send the new name"),
    say({ verb: "RNTO", argument: to, what: "name" }, "RFC 959 4.1.3"),
    hear(["2"], "250, renamed"),
  ];
}

/** DELE for a file, RMD for a URL that ends with "/". RFC 959 §4.1.3. */
export function planDelete(url: FtpUrl, options: CallOptions, settings: FtpOptions): Plan<FtpUrl> {
  const subject = subjectOf(url);
  const verb = subject.isDirectory ? "RMD" : "DELE";
  return planOne(url, subject, verb, options, settings);
}

/** MKD, with or without a "/" at the end of the URL. RFC 959 §4.1.3. */
export function planMakeDirectory(url: FtpUrl, options: CallOptions, settings: FtpOptions): Plan<FtpUrl> {
  return planOne(url, subjectOf(url), "MKD", options, settings);
}

function planOne(
  url: FtpUrl,
  subject: Subject,
  verb: string,
  options: CallOptions,
  settings: FtpOptions,
): Plan<FtpUrl> {
  const argument = named(subject);
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
  const [from, target] = [subjectOf(url), subjectOf(to)];
  const [old, fresh] = [named(from), named(target)];
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
