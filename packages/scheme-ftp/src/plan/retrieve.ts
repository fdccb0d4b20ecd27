import { AccessError, type Step } from "@anyscheme/core";
import { guessMediaType, type PlanOptions, createStep } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpOptions, FtpRequestOptions } from "../scheme-options.ts";
import type { FtpUrl } from "../syntax.ts";
import {
  createFtpCommandStep,
  SEND_EPSV_STEP,
  EXPECT_TRANSFER_START_STEP,
  createExpectFtpReplyStep,
  OPEN_DATA_CONNECTION_STEP,
  EPSV_REPLY_AND_PASV_FALLBACK_STEPS,
  createRestCommandSteps,
  SIZE_AND_MDTM_REPLY_CODES,
  type TransferTypeAndReason,
  createTypeCommandSteps,
} from "./commands.ts";
import type {
  FtpCommandAndReplySteps,
  FtpPlan,
  FtpTransferSteps,
  FtpTransferOperationPhases,
} from "./plan-types.ts";
import { createFtpPlan } from "./plan.ts";

type FtpOperationOptions = PlanOptions & FtpRequestOptions;

const TRANSFER_DESCRIPTIONS = {
  binary: "the server sends the bytes of the file unchanged",
  lf: "the server sends the file; the client converts CR LF to LF",
  crlf: "the server sends the file with CR LF line ends",
} as const;

const EXPECT_SIZE_REPLY_STEP = createExpectFtpReplyStep(
  SIZE_AND_MDTM_REPLY_CODES,
  "the server replies 213 with the size in bytes",
);
const EXPECT_MDTM_REPLY_STEP = createExpectFtpReplyStep(
  SIZE_AND_MDTM_REPLY_CODES,
  "the server replies 213 with the modification time in UTC",
);

const NOOP_STEP = createFtpCommandStep({ name: "NOOP" }, "RFC 959 4.1.3", {}, { onReply: "1" });
const EXPECT_TRANSFER_COMPLETED_STEP = createExpectFtpReplyStep(
  ["2"],
  "the server replies 226 or 250 (transfer complete)",
);

/**
 * Lists a directory with MLSD, whose format is standardized. The client tries LIST and then NLST if the server does not
 * support the previous command.
 */
const LISTING_PHASES: FtpTransferOperationPhases = {
  setTransferType: createTypeCommandSteps({ code: "A", reason: "listings are text" }, "RFC 959 4.1.3"),
  commands: [SEND_EPSV_STEP, ...EPSV_REPLY_AND_PASV_FALLBACK_STEPS],
  transfer: createReceiveTransferSteps(
    [
      createListingCommandSteps("MLSD", "RFC 3659 7"),
      createListingCommandSteps("LIST", "RFC 959 4.1.3", "50"),
      {
        sendCommand: createFtpCommandStep({ name: "NLST" }, "RFC 959 4.1.3", {}, { onReply: "50" }),
        expectReply: createExpectFtpReplyStep(["1"], "the server replies 125 or 150 (transfer starts)", "50"),
      },
    ],
    "RFC 959 4.1.3",
    "the server sends one directory entry per line",
  ),
  isIdempotent: true,
};

/** Plans the retrieval of a file or listing. Throws `refused-characters` and `unsupported`. */
export function planFtpDereference(
  url: FtpUrl,
  requestOptions: FtpOperationOptions = {},
  schemeOptions: FtpOptions = {},
): FtpPlan<FtpTransferOperationPhases> {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  return createFtpPlan(
    url,
    directories,
    createRetrievePhases(url, requestOptions, schemeOptions),
    requestOptions,
    schemeOptions,
  );
}

/**
 * Lists names for the typecode `d`, and retrieves a file with TYPE and RETR for other typecodes. A URL with an empty
 * name and no typecode lists the directory, which the RFC does not define. RFC 1738 §3.2.2.
 */
function createRetrievePhases(
  url: FtpUrl,
  requestOptions: FtpOperationOptions,
  schemeOptions: FtpOptions,
): FtpTransferOperationPhases {
  const name = percentDecode(url.name ?? "");
  const typecode = requestOptions.type ?? url.type?.toLowerCase();
  if (typecode === "d") return createNameListPhases(name, requestOptions);
  if (typecode === undefined && name.length === 0) return LISTING_PHASES;
  const type = chooseTransferType(name, typecode, requestOptions, schemeOptions);
  const { start = 0 } = requestOptions.range ?? {};
  const body = type.code === "I" ? "binary" : (schemeOptions.asciiNewlines ?? "lf");
  const retrieve = createFtpCommandStep({ name: "RETR", argument: name }, "3.2.2", requestOptions);
  return {
    setTransferType: createTypeCommandSteps(type, typecode === undefined ? "3.2.3" : "3.2.2"),
    commands: createSizeAndTimeSteps(name, type, requestOptions),
    transfer: createReceiveTransferSteps(
      [
        ...(start > 0 ? [createRestCommandSteps(start)] : []),
        { sendCommand: retrieve, expectReply: EXPECT_TRANSFER_START_STEP },
      ],
      "3.2.2",
      TRANSFER_DESCRIPTIONS[body],
    ),
    isIdempotent: true,
  };
}

/** The client guesses an omitted transfer type (RFC 1738 §3.2.3), unless an option determines the type. */
function chooseTransferType(
  name: Uint8Array,
  typecode: string | undefined,
  { range, resume, exactBytes }: FtpOperationOptions,
  { defaultTransferType = "guess" }: FtpOptions,
): TransferTypeAndReason {
  const given = typecode ?? (defaultTransferType === "guess" ? undefined : defaultTransferType);
  if (range && given === "a") {
    throw new AccessError(
      "unsupported",
      "a range needs a binary transfer, because text transfers convert line ends",
      {
        advice: "use ;type=i for a range of the binary file",
      },
    );
  }
  if (given !== undefined) return { code: given === "a" ? "A" : "I", reason: "as given" };
  if (range) return { code: "I", reason: "a range counts bytes" };
  if (resume) return { code: "I", reason: "resume counts bytes" };
  if (exactBytes)
    return { code: "I", reason: "the request asks for the bytes without conversion of line ends" };
  return guessTransferType(name);
}

/**
 * Creates the steps that request size and time of a file in the same write as EPSV. SIZE, MDTM and EPSV do not depend
 * on each other. The client sends no SIZE in TYPE A: some servers refuse the command, and others return the size of the
 * binary file. RFC 3659 §3, §4.
 */
function createSizeAndTimeSteps(
  argument: Uint8Array,
  type: TransferTypeAndReason,
  requestOptions: FtpOperationOptions,
): Step[] {
  const hasSize = type.code === "I";
  const usesCache = hasSize && requestOptions.cache !== undefined && requestOptions.cache !== "no-store";
  const hasTime =
    usesCache || requestOptions.resume !== undefined || requestOptions.ifModifiedSince !== undefined;
  return [
    ...(hasSize ? [createFtpCommandStep({ name: "SIZE", argument }, "RFC 3659 4", requestOptions)] : []),
    ...(hasTime ? [createFtpCommandStep({ name: "MDTM", argument }, "RFC 3659 3", requestOptions)] : []),
    SEND_EPSV_STEP,
    ...(hasSize ? [EXPECT_SIZE_REPLY_STEP] : []),
    ...(hasTime ? [EXPECT_MDTM_REPLY_STEP] : []),
    ...EPSV_REPLY_AND_PASV_FALLBACK_STEPS,
  ];
}

/** RFC 1738 §3.2.2: "If the typecode is "d", perform a NLST (name list) command with <name> as the argument". */
function createNameListPhases(
  name: Uint8Array,
  requestOptions: FtpOperationOptions,
): FtpTransferOperationPhases {
  const argument = name.length === 0 ? undefined : name;
  const command = createFtpCommandStep({ name: "NLST", argument }, "3.2.2", requestOptions);
  return {
    ...LISTING_PHASES,
    transfer: createReceiveTransferSteps(
      [{ sendCommand: command, expectReply: EXPECT_TRANSFER_START_STEP }],
      "3.2.2",
      "the server sends one name per line",
    ),
  };
}

/** Creates a command that lists a directory. The client tries the next command after a reply from 500 to 504. */
function createListingCommandSteps(name: string, spec: string, onReply?: string): FtpCommandAndReplySteps {
  return {
    sendCommand: createFtpCommandStep({ name }, spec, {}, { onReply }),
    expectReply: createExpectFtpReplyStep(
      ["1", "50"],
      `the server replies 125 or 150 (transfer starts), or 500 to 504 (${name} is not supported)`,
      onReply,
    ),
  };
}

function createReceiveTransferSteps(
  commandSteps: readonly FtpCommandAndReplySteps[],
  spec: string,
  description: string,
): FtpTransferSteps {
  return {
    openDataConnection: OPEN_DATA_CONNECTION_STEP,
    commandSteps,
    transferBody: createStep("transfer", spec, description),
    keepAlive: NOOP_STEP,
    expectCompletion: EXPECT_TRANSFER_COMPLETED_STEP,
  };
}

/**
 * The text media types whose charset may use more than one byte per character. TYPE A would damage a text in UTF-16
 * (RFC 7303 §3).
 */
const MULTIBYTE_TEXT_TYPES: ReadonlySet<string> = new Set(["text/xml"]);

/**
 * Guesses the transfer type from the suffix of the file name. RFC 1738 §3.2.3: "the data content type of a file can
 * only be guessed from the name, e.g., from the suffix of the name; the appropriate type code [...] can then be deduced
 * from the data content". A media type `text/…` means `A`, since text media types and TYPE A both have CR LF line ends
 * (RFC 2046 §4.1.1). The types in `MULTIBYTE_TEXT_TYPES` and all other media types mean `I`.
 */
export function guessTransferType(name: Uint8Array): TransferTypeAndReason {
  const mediaType = guessMediaType(name);
  if (mediaType === undefined) return { code: "I", reason: "no known suffix" };
  const isText = mediaType.startsWith("text/") && !MULTIBYTE_TEXT_TYPES.has(mediaType);
  return { code: isText ? "A" : "I", reason: `the suffix means ${mediaType}` };
}
