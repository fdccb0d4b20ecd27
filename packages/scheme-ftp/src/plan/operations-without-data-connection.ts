// The plans of the operations that send only commands, and transfer no body: stat, delete, mkdir and rename.
import { AccessError, type Step } from "@anyscheme/core";
import { type PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions, FtpRequestOptions } from "../scheme-options.ts";
import { FtpUrl } from "../syntax.ts";
import {
  createFtpCommandStep,
  createExpectFtpReplyStep,
  createRenameSteps,
  createTypeCommandSteps,
  SIZE_AND_MDTM_REPLY_CODES,
} from "./commands.ts";
import type { FtpPlan, FtpOperationPhases } from "./plan-types.ts";
import { createFtpPlan, joinPathSegments } from "./plan.ts";
import { type FtpTargetPath, parseFtpTargetPath, getNameUnlessLoginDirectory } from "./target-path.ts";

type FtpOperationOptions = PlanOptions & FtpRequestOptions;

/**
 * Plans the operation `stat` of an FTP URL with MLST, or with SIZE, MDTM and CWD. The plan uses CWD to recognize a
 * directory, because CWD succeeds only for a directory.
 */
export function planFtpStat(
  url: FtpUrl,
  requestOptions: FtpOperationOptions,
  schemeOptions: FtpOptions,
): FtpPlan {
  const target = parseFtpTargetPath(url);
  return createFtpPlan(
    url,
    target.directories,
    createStatPhases(target, requestOptions),
    requestOptions,
    schemeOptions,
  );
}

function createStatPhases(
  { name, isDirectory }: FtpTargetPath,
  requestOptions: FtpOperationOptions,
): FtpOperationPhases {
  if (name === undefined) return { commands: [], isIdempotent: true };
  const command = (command: string, spec: string, onReply?: string): Step =>
    createFtpCommandStep({ name: command, argument: name }, spec, requestOptions, {
      onReply,
    });
  return {
    setTransferType: createTypeCommandSteps(
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
          createExpectFtpReplyStep(
            SIZE_AND_MDTM_REPLY_CODES,
            "the server replies 213 with the size in bytes",
            "50",
          ),
          createExpectFtpReplyStep(
            SIZE_AND_MDTM_REPLY_CODES,
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
export function planFtpDelete(
  url: FtpUrl,
  requestOptions: FtpOperationOptions,
  schemeOptions: FtpOptions,
): FtpPlan {
  return planSingleCommand(
    url,
    parseFtpTargetPath(url).isDirectory ? "RMD" : "DELE",
    requestOptions,
    schemeOptions,
  );
}

/** Plans MKD, with or without a "/" at the end of the URL. RFC 959 §4.1.3. */
export function planFtpMakeDirectory(
  url: FtpUrl,
  requestOptions: FtpOperationOptions,
  schemeOptions: FtpOptions,
): FtpPlan {
  return planSingleCommand(url, "MKD", requestOptions, schemeOptions);
}

function planSingleCommand(
  url: FtpUrl,
  name: string,
  requestOptions: FtpOperationOptions,
  schemeOptions: FtpOptions,
): FtpPlan {
  const target = parseFtpTargetPath(url);
  const command = { name, argument: getNameUnlessLoginDirectory(target) };
  const commands = [
    createFtpCommandStep(command, "RFC 959 4.1.3", requestOptions),
    createExpectFtpReplyStep(["2"], "the server replies 250 (done)"),
  ];
  return createFtpPlan(
    url,
    target.directories,
    { commands, isIdempotent: false },
    requestOptions,
    schemeOptions,
  );
}

/**
 * Plans the commands RNFR and RNTO, which rename a file or directory. RNFR and RNTO receive file names if both URLs
 * have the same directory. Otherwise RNFR and RNTO receive paths from the login directory, since no CWD is allowed
 * between them.
 */
export function planFtpRename(
  url: FtpUrl,
  requestOptions: FtpOperationOptions & { readonly to?: unknown },
  schemeOptions: FtpOptions,
): FtpPlan {
  const { to } = requestOptions;
  if (!(to instanceof FtpUrl) || getServerLoginKey(to) !== getServerLoginKey(url))
    throw new AccessError("unsupported", "the new URL must have the same server and login");
  const [source, target] = [parseFtpTargetPath(url), parseFtpTargetPath(to)];
  const [oldName, newName] = [getNameUnlessLoginDirectory(source), getNameUnlessLoginDirectory(target)];
  const isSameDirectory =
    String(joinPathSegments(source.directories)) === String(joinPathSegments(target.directories));
  const [from, into] = isSameDirectory
    ? [oldName, newName]
    : [
        joinPathSegments([...source.directories, oldName]),
        joinPathSegments([...target.directories, newName]),
      ];
  const operation = { commands: createRenameSteps(from, into, requestOptions), isIdempotent: false };
  return createFtpPlan(
    url,
    isSameDirectory ? source.directories : [],
    operation,
    requestOptions,
    schemeOptions,
  );
}

function getServerLoginKey({ effectiveHost, effectivePort, user, password }: FtpUrl): string {
  return JSON.stringify([effectiveHost, effectivePort, user, password]);
}
