import { AccessError, type Step } from "@anyscheme/core";
import { createStep, type PlanOptions, type PutOptions } from "@anyscheme/core/plugin";
import type { FtpOptions, FtpRequestOptions } from "../scheme-options.ts";
import type { FtpUrl } from "../syntax.ts";
import {
  createFtpCommandStep,
  SEND_EPSV_STEP,
  EXPECT_TRANSFER_START_STEP,
  createExpectFtpReplyStep,
  OPEN_DATA_CONNECTION_STEP,
  EPSV_REPLY_AND_PASV_FALLBACK_STEPS,
  percentEscapeFtpArgument,
  createRenameSteps,
  createRestCommandSteps,
  createTypeCommandSteps,
  TOLERATED_REFUSAL_CODES,
} from "./commands.ts";
import type { FtpPlan, FtpTransferOperationPhases } from "./plan-types.ts";
import { createFtpPlan } from "./plan.ts";
import { parseFtpTargetPath, getNameUnlessLoginDirectory } from "./target-path.ts";

/** Plans STOR or APPE. An atomic upload is a STOR under a temporary name, and a rename. RFC 959 §4.1.3, RFC 3659 §5. */
export function planFtpPut(
  url: FtpUrl,
  requestOptions: PlanOptions & FtpRequestOptions & PutOptions,
  schemeOptions: FtpOptions,
): FtpPlan<FtpTransferOperationPhases> {
  const target = parseFtpTargetPath(url);
  const typecode = requestOptions.type ?? url.type?.toLowerCase();
  if (target.isDirectory || typecode === "d")
    throw new AccessError("unsupported", "the URL names a directory, not a file");
  const { atomic = false, offset = 0 } = requestOptions;
  if (atomic && offset !== 0)
    throw new AccessError("unsupported", "an atomic upload replaces the whole file and takes no offset");
  const isText = typecode === "a";
  if (isText && typeof offset === "number" && offset > 0)
    throw new AccessError(
      "unsupported",
      "an offset needs a binary transfer, because text transfers convert line ends",
    );
  const name = getNameUnlessLoginDirectory(target);
  const storedName = atomic ? getPartialFileName(name) : name;
  const command = {
    name: offset === "end" ? "APPE" : "STOR",
    argument: storedName,
  };
  const phases: FtpTransferOperationPhases = {
    setTransferType: createTypeCommandSteps(
      isText ? { code: "A", reason: "as given" } : { code: "I", reason: "default" },
      "3.2.2",
    ),
    commands: [SEND_EPSV_STEP, ...EPSV_REPLY_AND_PASV_FALLBACK_STEPS],
    transfer: {
      openDataConnection: OPEN_DATA_CONNECTION_STEP,
      commandSteps: [
        ...(typeof offset === "number" && offset > 0 ? [createRestCommandSteps(offset)] : []),
        {
          sendCommand: createFtpCommandStep(command, "RFC 959 4.1.3", requestOptions),
          expectReply: EXPECT_TRANSFER_START_STEP,
        },
      ],
      transferBody: createStep(
        "transfer",
        "RFC 959 4.1.3",
        isText ? "the client sends the file, and converts LF to CR LF" : "the client sends the file",
      ),
      expectCompletion: createExpectFtpReplyStep(["2"], "the server replies 226 or 250 (file stored)"),
    },
    ...(atomic && {
      renamePartialFile: createRenameSteps(storedName, name, requestOptions),
      removePartialFile: createDeletePartialFileSteps(storedName, requestOptions),
    }),
    isIdempotent: false,
  };
  return createFtpPlan(url, target.directories, phases, requestOptions, schemeOptions);
}

const PARTIAL_FILE_SUFFIX = new TextEncoder().encode(".anyscheme-part");

/** Returns the temporary name of an atomic upload before the rename. */
function getPartialFileName(name: Uint8Array): Uint8Array {
  return Uint8Array.from([...name, ...PARTIAL_FILE_SUFFIX]);
}

/** Deletes the partial file of a failed atomic upload. A refusal of DELE does not end the request. */
function createDeletePartialFileSteps(argument: Uint8Array, requestOptions: PlanOptions): Step[] {
  const description = `DELE ${percentEscapeFtpArgument(argument)} (after a failed put)`;
  return [
    createFtpCommandStep({ name: "DELE", argument }, "RFC 959 4.1.3", requestOptions, {
      description,
      onReply: "5",
    }),
    createExpectFtpReplyStep(["2", ...TOLERATED_REFUSAL_CODES], "the server sends any reply", "5"),
  ];
}
