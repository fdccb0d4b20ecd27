import { AccessError, type Step } from "@anyscheme/core";
import { type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpOptions, FtpRequestOptions } from "../options.ts";
import { FtpUrl } from "../syntax.ts";
import { commandStep, expectReply, typePhase } from "./commands.ts";
import type { FtpPlan, OperationPhases } from "./phases.ts";
import { createPlan, joinPath } from "./plan.ts";

type RequestOptions = PlanOptions & FtpRequestOptions;

/** Plans a stat with MLST, or with SIZE, MDTM and CWD. CWD succeeds only for a directory. */
export function planStat(url: FtpUrl, options: RequestOptions, settings: FtpOptions): FtpPlan {
  const target = parseTarget(url);
  return createPlan(url, target.directories, statPhases(target, options), options, settings);
}

function statPhases({ name, isDirectory }: FtpTarget, options: RequestOptions): OperationPhases {
  if (name === undefined) return { prepare: [], isIdempotent: true };
  const command = (command: string, spec: string, onReply?: string): Step =>
    commandStep({ name: command, argument: name, argumentName: "name" }, spec, options, { onReply });
  return {
    setType: typePhase({ code: "I", reason: "sizes are counted in bytes" }, "RFC 3659 4"),
    prepare: [
      command("MLST", "RFC 3659 7"),
      expectReply(
        ["250", "50"],
        "the server replies 250 with the facts, or 500 to 504 (MLST is not supported)",
      ),
    ],
    sizeAndTime: isDirectory
      ? []
      : [
          command("SIZE", "RFC 3659 4", "50"),
          command("MDTM", "RFC 3659 3", "50"),
          expectReply(["213", "5"], "the server replies 213 with the size in bytes", "50"),
          expectReply(["213", "5"], "the server replies 213 with the modification time in UTC", "50"),
        ],
    directoryProbe: [
      command("CWD", "RFC 959 4.1.1", "5"),
      expectReply(["2"], "the server replies 250 (the name is a directory)", "5"),
    ],
    isIdempotent: true,
  };
}

/** Plans DELE for a file, RMD for a URL that ends with "/". RFC 959 §4.1.3. */
export function planDelete(url: FtpUrl, options: RequestOptions, settings: FtpOptions): FtpPlan {
  return planCommand(url, parseTarget(url).isDirectory ? "RMD" : "DELE", options, settings);
}

/** Plans MKD, with or without a "/" at the end of the URL. RFC 959 §4.1.3. */
export function planMakeDirectory(url: FtpUrl, options: RequestOptions, settings: FtpOptions): FtpPlan {
  return planCommand(url, "MKD", options, settings);
}

function planCommand(url: FtpUrl, name: string, options: RequestOptions, settings: FtpOptions): FtpPlan {
  const target = parseTarget(url);
  const command = { name, argument: requireName(target), argumentName: "name" };
  const prepare = [
    commandStep(command, "RFC 959 4.1.3", options),
    expectReply(["2"], "the server replies 250 (done)"),
  ];
  return createPlan(url, target.directories, { prepare, isIdempotent: false }, options, settings);
}

/**
 * Plans RNFR and RNTO. Both arguments are names if the directory stays the same. Otherwise both are paths from the
 * login directory, since a CWD between the two commands is not allowed.
 */
export function planRename(
  url: FtpUrl,
  options: RequestOptions & { readonly to?: unknown },
  settings: FtpOptions,
): FtpPlan {
  const { to } = options;
  if (!(to instanceof FtpUrl) || loginKey(to) !== loginKey(url))
    throw new AccessError("unsupported", "the new URL must have the same server and login");
  const [source, target] = [parseTarget(url), parseTarget(to)];
  const [oldName, newName] = [requireName(source), requireName(target)];
  const isSameDirectory = String(joinPath(source.directories)) === String(joinPath(target.directories));
  const [from, into] = isSameDirectory
    ? [oldName, newName]
    : [joinPath([...source.directories, oldName]), joinPath([...target.directories, newName])];
  const operation = { prepare: renameSteps(from, into, options), isIdempotent: false };
  return createPlan(url, isSameDirectory ? source.directories : [], operation, options, settings);
}

export function renameSteps(from: Uint8Array, to: Uint8Array, options: PlanOptions): Step[] {
  return [
    commandStep({ name: "RNFR", argument: from, argumentName: "name" }, "RFC 959 4.1.3", options),
    expectReply(["3"], "the server replies 350 (new name required)"),
    commandStep({ name: "RNTO", argument: to, argumentName: "name" }, "RFC 959 4.1.3", options),
    expectReply(["2"], "the server replies 250 (renamed)"),
  ];
}

function loginKey({ effectiveHost, effectivePort, user, password }: FtpUrl): string {
  return JSON.stringify([effectiveHost, effectivePort, user, password]);
}

/** The file or directory that an operation changes. A URL that ends with "/" names its last directory. */
interface FtpTarget {
  readonly directories: readonly Uint8Array[];
  /** `undefined` for the login directory. */
  readonly name: Uint8Array | undefined;
  readonly isDirectory: boolean;
}

export function parseTarget(url: FtpUrl): FtpTarget {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  const name = percentDecode(url.name ?? "");
  if (name.length > 0) return { directories, name, isDirectory: false };
  return { directories: directories.slice(0, -1), name: directories.at(-1), isDirectory: true };
}

/** Returns the name of the target. Throws `unsupported` for the login directory. */
export function requireName({ name }: FtpTarget): Uint8Array {
  if (name) return name;
  throw new AccessError("unsupported", "the URL names only the login directory");
}
