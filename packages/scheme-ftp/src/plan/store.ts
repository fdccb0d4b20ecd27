import { AccessError, type Step } from "@anyscheme/core";
import { step, type PlanOptions, type PutOptions } from "@anyscheme/core/plugin";
import type { FtpOptions, FtpRequestOptions } from "../options.ts";
import type { FtpUrl } from "../syntax.ts";
import {
  commandStep,
  EPSV,
  EXPECT_STARTED,
  expectReply,
  OPEN_DATA,
  PASSIVE_REPLIES,
  percentEscape,
  restartExchange,
  typePhase,
} from "./commands.ts";
import { parseTarget, renameSteps, requireName } from "./operations.ts";
import type { FtpPlan, TransferPhases } from "./phases.ts";
import { createPlan } from "./plan.ts";

/** Plans STOR or APPE. An atomic put is a STOR under a partial name and a rename. RFC 959 §4.1.3, RFC 3659 §5. */
export function planPut(
  url: FtpUrl,
  options: PlanOptions & FtpRequestOptions & PutOptions,
  settings: FtpOptions,
): FtpPlan<TransferPhases> {
  const target = parseTarget(url);
  const typecode = options.type ?? url.type?.toLowerCase();
  if (target.isDirectory || typecode === "d")
    throw new AccessError("unsupported", "the URL names a directory, not a file");
  const { atomic = false, at = 0 } = options;
  if (atomic && at !== 0)
    throw new AccessError("unsupported", "an atomic put writes the whole file and takes no offset");
  const isText = typecode === "a";
  if (isText && typeof at === "number" && at > 0)
    throw new AccessError("unsupported", "a text transfer takes no offset: its bytes are not counted");
  const name = requireName(target);
  const storedName = atomic ? partialName(name) : name;
  const command = { name: at === "end" ? "APPE" : "STOR", argument: storedName, argumentName: "name" };
  const phases: TransferPhases = {
    setType: typePhase(
      isText ? { code: "A", reason: "as given" } : { code: "I", reason: "default" },
      "3.2.2",
    ),
    prepare: [EPSV, ...PASSIVE_REPLIES],
    transfer: {
      openData: OPEN_DATA,
      exchanges: [
        ...(typeof at === "number" && at > 0 ? [restartExchange(at)] : []),
        { command: commandStep(command, "RFC 959 4.1.3", options), reply: EXPECT_STARTED },
      ],
      body: step(
        "transfer",
        "RFC 959 4.1.3",
        isText ? "the client sends the file, and converts LF to CR LF" : "the client sends the file",
      ),
      completion: expectReply(["2"], "the server replies 226 or 250 (file stored)"),
    },
    ...(atomic && {
      rename: renameSteps(storedName, name, options),
      cleanup: cleanupSteps(storedName, options),
    }),
    isIdempotent: false,
  };
  return createPlan(url, target.directories, phases, options, settings);
}

const PARTIAL_SUFFIX = new TextEncoder().encode(".anyscheme-part");

/** Returns the name that an atomic put stores to before the rename. */
function partialName(name: Uint8Array): Uint8Array {
  return Uint8Array.from([...name, ...PARTIAL_SUFFIX]);
}

/** Deletes the incomplete file of a failed put. The plan accepts any reply. */
function cleanupSteps(argument: Uint8Array, options: PlanOptions): Step[] {
  const description = `DELE ${percentEscape(argument)} (after a failed put)`;
  return [
    commandStep({ name: "DELE", argument, argumentName: "name" }, "RFC 959 4.1.3", options, {
      description,
      onReply: "5",
    }),
    expectReply(["2", "4", "5"], "the server sends any reply", "5"),
  ];
}
