import { AccessError, type Step } from "@anyscheme/core";
import { type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpOptions, FtpRequestOptions } from "../options.ts";
import { FtpUrl } from "../syntax.ts";
import { createFtpCommandStep, createExpectFtpReplyStep, createTypeCommandPhase } from "./commands.ts";
import type { FtpPlan, FtpPhasesAfterCwd } from "./plan-types.ts";
import { createFtpPlan, joinPathSegments } from "./plan.ts";

type FtpOperationOptions = PlanOptions & FtpRequestOptions;

/** Plans a stat with MLST, or with SIZE, MDTM and CWD. CWD succeeds only for a directory. */
export function planFtpStat(url: FtpUrl, options: FtpOperationOptions, settings: FtpOptions): FtpPlan {
  const target = parseFtpTargetPath(url);
  return createFtpPlan(url, target.directories, createStatPhases(target, options), options, settings);
}

function createStatPhases({ name, isDirectory }: FtpTarget, options: FtpOperationOptions): FtpPhasesAfterCwd {
  if (name === undefined) return { commands: [], isIdempotent: true };
  const command = (command: string, spec: string, onReply?: string): Step =>
    createFtpCommandStep({ name: command, argument: name }, spec, options, {
      onReply,
    });
  return {
    setTransferType: createTypeCommandPhase(
      { code: "I", reason: "SIZE counts the bytes of a binary transfer" },
      "RFC 3659 4",
    ),
    commands: [
      command("MLST", "RFC 3659 7"),
      createExpectFtpReplyStep(
        ["250", "50"],
        "the server replies 250 with the facts, or 500 to 504 (MLST is not supported)",
      ),
    ],
    requestSizeAndTime: isDirectory
      ? []
      : [
          command("SIZE", "RFC 3659 4", "50"),
          command("MDTM", "RFC 3659 3", "50"),
          createExpectFtpReplyStep(["213", "5"], "the server replies 213 with the size in bytes", "50"),
          createExpectFtpReplyStep(
            ["213", "5"],
            "the server replies 213 with the modification time in UTC",
            "50",
          ),
        ],
    probeDirectory: [
      command("CWD", "RFC 959 4.1.1", "5"),
      createExpectFtpReplyStep(["2"], "the server replies 250 (the name is a directory)", "5"),
    ],
    isIdempotent: true,
  };
}

/** Plans DELE for a file, and RMD for a URL that ends with "/". RFC 959 §4.1.3. */
export function planFtpDelete(url: FtpUrl, options: FtpOperationOptions, settings: FtpOptions): FtpPlan {
  return planSingleCommand(url, parseFtpTargetPath(url).isDirectory ? "RMD" : "DELE", options, settings);
}

/** Plans MKD, with or without a "/" at the end of the URL. RFC 959 §4.1.3. */
export function planFtpMakeDirectory(
  url: FtpUrl,
  options: FtpOperationOptions,
  settings: FtpOptions,
): FtpPlan {
  return planSingleCommand(url, "MKD", options, settings);
}

function planSingleCommand(
  url: FtpUrl,
  name: string,
  options: FtpOperationOptions,
  settings: FtpOptions,
): FtpPlan {
  const target = parseFtpTargetPath(url);
  const command = { name, argument: requireFileOrDirectoryName(target) };
  const commands = [
    createFtpCommandStep(command, "RFC 959 4.1.3", options),
    createExpectFtpReplyStep(["2"], "the server replies 250 (done)"),
  ];
  return createFtpPlan(url, target.directories, { commands, isIdempotent: false }, options, settings);
}

/**
 * Plans RNFR and RNTO. Both receive file names if the URLs have the same directory, and otherwise paths from the login
 * directory, since no CWD is allowed between RNFR and RNTO.
 */
export function planFtpRename(
  url: FtpUrl,
  options: FtpOperationOptions & { readonly to?: unknown },
  settings: FtpOptions,
): FtpPlan {
  const { to } = options;
  if (!(to instanceof FtpUrl) || getServerLoginKey(to) !== getServerLoginKey(url))
    throw new AccessError("unsupported", "the new URL must have the same server and login");
  const [source, target] = [parseFtpTargetPath(url), parseFtpTargetPath(to)];
  const [oldName, newName] = [requireFileOrDirectoryName(source), requireFileOrDirectoryName(target)];
  const isSameDirectory =
    String(joinPathSegments(source.directories)) === String(joinPathSegments(target.directories));
  const [from, into] = isSameDirectory
    ? [oldName, newName]
    : [
        joinPathSegments([...source.directories, oldName]),
        joinPathSegments([...target.directories, newName]),
      ];
  const operation = { commands: createRnfrAndRntoPlanSteps(from, into, options), isIdempotent: false };
  return createFtpPlan(url, isSameDirectory ? source.directories : [], operation, options, settings);
}

export function createRnfrAndRntoPlanSteps(from: Uint8Array, to: Uint8Array, options: PlanOptions): Step[] {
  return [
    createFtpCommandStep({ name: "RNFR", argument: from }, "RFC 959 4.1.3", options),
    createExpectFtpReplyStep(["3"], "the server replies 350 (new name required)"),
    createFtpCommandStep({ name: "RNTO", argument: to }, "RFC 959 4.1.3", options),
    createExpectFtpReplyStep(["2"], "the server replies 250 (renamed)"),
  ];
}

function getServerLoginKey({ effectiveHost, effectivePort, user, password }: FtpUrl): string {
  return JSON.stringify([effectiveHost, effectivePort, user, password]);
}

/** The file or directory that an operation changes or describes. A URL that ends with "/" names its last directory. */
interface FtpTarget {
  readonly directories: readonly Uint8Array[];
  /** The last name of the path; `undefined` for the login directory. */
  readonly name: Uint8Array | undefined;
  readonly isDirectory: boolean;
}

export function parseFtpTargetPath(url: FtpUrl): FtpTarget {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  const name = percentDecode(url.name ?? "");
  if (name.length > 0) return { directories, name, isDirectory: false };
  return { directories: directories.slice(0, -1), name: directories.at(-1), isDirectory: true };
}

/**
 * Returns the name of the file or directory that the operation changes. Throws `unsupported` for the login directory.
 */
export function requireFileOrDirectoryName({ name }: FtpTarget): Uint8Array {
  if (name) return name;
  throw new AccessError("unsupported", "the URL names only the login directory");
}
