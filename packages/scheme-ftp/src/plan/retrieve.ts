import { AccessError, type Step } from "@anyscheme/core";
import { guessMediaType, type PlanOptions, step } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpOptions, FtpRequestOptions } from "../options.ts";
import type { FtpUrl } from "../syntax.ts";
import {
  commandStep,
  EPSV,
  EXPECT_STARTED,
  expectReply,
  OPEN_DATA,
  PASSIVE_REPLIES,
  restartExchange,
  type TransferType,
  typePhase,
} from "./commands.ts";
import type { Exchange, FtpPlan, TransferPhase, TransferPhases } from "./phases.ts";
import { createPlan } from "./plan.ts";

type RequestOptions = PlanOptions & FtpRequestOptions;

const BODY_DESCRIPTIONS = {
  binary: "the server sends the bytes of the file unchanged",
  lf: "the server sends the file; the client converts CR LF to LF",
  crlf: "the server sends the file with CR LF line ends",
} as const;

/** The replies to SIZE and MDTM. A refusal does not end the request. */
const METADATA_CODES = ["213", "450", "5"];
const EXPECT_SIZE = expectReply(METADATA_CODES, "the server replies 213 with the size in bytes");
const EXPECT_MDTM = expectReply(METADATA_CODES, "the server replies 213 with the modification time in UTC");

const NOOP = commandStep({ name: "NOOP" }, "RFC 959 4.1.3", {}, { onReply: "1" });
const EXPECT_COMPLETED = expectReply(["2"], "the server replies 226 or 250 (transfer complete)");

/**
 * Lists with MLSD, which is exact. LIST and NLST follow if the server does not support the previous command (500
 * to 504).
 */
const LISTING_PHASES: TransferPhases = {
  setType: typePhase({ code: "A", reason: "listings are text" }, "RFC 959 4.1.3"),
  prepare: [EPSV, ...PASSIVE_REPLIES],
  transfer: receivePhase(
    [
      listingExchange("MLSD", "RFC 3659 7"),
      listingExchange("LIST", "RFC 959 4.1.3", "50"),
      {
        command: commandStep({ name: "NLST" }, "RFC 959 4.1.3", {}, { onReply: "50" }),
        reply: expectReply(["1"], "the server replies 125 or 150 (transfer starts)", "50"),
      },
    ],
    "RFC 959 4.1.3",
    "the server sends one directory entry per line",
  ),
  isIdempotent: true,
};

/** Plans the retrieval of a file or listing. Throws `refused-characters` and `unsupported`. */
export function planFtp(
  url: FtpUrl,
  options: RequestOptions = {},
  settings: FtpOptions = {},
): FtpPlan<TransferPhases> {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  return createPlan(url, directories, retrievePhases(url, options, settings), options, settings);
}

/**
 * Lists names for the typecode `d`, else retrieves a file with TYPE and RETR. A URL with an empty name and no
 * typecode lists the directory, which the RFC does not define. RFC 1738 §3.2.2.
 */
function retrievePhases(url: FtpUrl, options: RequestOptions, settings: FtpOptions): TransferPhases {
  const name = percentDecode(url.name ?? "");
  const typecode = options.type ?? url.type?.toLowerCase();
  if (typecode === "d") return nameListPhases(name, options);
  if (typecode === undefined && name.length === 0) return LISTING_PHASES;
  const type = transferType(name, typecode, options, settings);
  const { start = 0 } = options.range ?? {};
  const body = type.code === "I" ? "binary" : (settings.asciiNewlines ?? "lf");
  const retrieve = commandStep({ name: "RETR", argument: name, argumentName: "name" }, "3.2.2", options);
  return {
    setType: typePhase(type, typecode === undefined ? "3.2.3" : "3.2.2"),
    prepare: metadataSteps(name, type, options),
    transfer: receivePhase(
      [...(start > 0 ? [restartExchange(start)] : []), { command: retrieve, reply: EXPECT_STARTED }],
      "3.2.2",
      BODY_DESCRIPTIONS[body],
    ),
    isIdempotent: true,
  };
}

/** RFC 1738 §3.2.3: an omitted type is guessed, unless a setting or an option requires one. */
function transferType(
  name: Uint8Array,
  typecode: string | undefined,
  { range, resume }: RequestOptions,
  { defaultTransferType = "guess" }: FtpOptions,
): TransferType {
  const given = typecode ?? (defaultTransferType === "guess" ? undefined : defaultTransferType);
  if (range && given === "a") {
    throw new AccessError("unsupported", "a text transfer has no ranges: its bytes are not counted", {
      advice: "use ;type=i for a range of the binary file",
    });
  }
  if (given !== undefined) return { code: given === "a" ? "A" : "I", reason: "as given" };
  if (range) return { code: "I", reason: "a range counts bytes" };
  if (resume) return { code: "I", reason: "resume counts bytes" };
  return guessTransferType(name);
}

/**
 * Requests size and time in the same write as EPSV. The three commands are independent. SIZE is not sent in
 * TYPE A: some servers refuse it, others return the size of the binary file. RFC 3659 §3, §4.
 */
function metadataSteps(argument: Uint8Array, type: TransferType, options: RequestOptions): Step[] {
  const hasSize = type.code === "I";
  const hasTime = options.resume !== undefined || options.ifModifiedSince !== undefined;
  const argumentName = "name";
  return [
    ...(hasSize ? [commandStep({ name: "SIZE", argument, argumentName }, "RFC 3659 4", options)] : []),
    ...(hasTime ? [commandStep({ name: "MDTM", argument, argumentName }, "RFC 3659 3", options)] : []),
    EPSV,
    ...(hasSize ? [EXPECT_SIZE] : []),
    ...(hasTime ? [EXPECT_MDTM] : []),
    ...PASSIVE_REPLIES,
  ];
}

/** RFC 1738 §3.2.2: "If the typecode is "d", perform a NLST (name list) command with <name> as the argument". */
function nameListPhases(name: Uint8Array, options: RequestOptions): TransferPhases {
  const argument = name.length === 0 ? undefined : name;
  const command = commandStep({ name: "NLST", argument, argumentName: "name" }, "3.2.2", options);
  return {
    ...LISTING_PHASES,
    transfer: receivePhase(
      [{ command, reply: EXPECT_STARTED }],
      "3.2.2",
      "the server sends one name per line",
    ),
  };
}

/** Returns one of the commands that list a directory. The next one follows a reply from 500 to 504. */
function listingExchange(name: string, spec: string, onReply?: string): Exchange {
  return {
    command: commandStep({ name }, spec, {}, { onReply }),
    reply: expectReply(
      ["1", "50"],
      `the server replies 125 or 150 (transfer starts), or 500 to 504 (${name} is not supported)`,
      onReply,
    ),
  };
}

function receivePhase(exchanges: readonly Exchange[], spec: string, description: string): TransferPhase {
  return {
    openData: OPEN_DATA,
    exchanges,
    body: step("transfer", spec, description),
    keepAlive: NOOP,
    completion: EXPECT_COMPLETED,
  };
}

/** Text types whose encoding may use more than one byte per character. TYPE A would damage them (RFC 7303 §3). */
const MULTIBYTE_TEXT: ReadonlySet<string> = new Set(["text/xml"]);

/**
 * Guesses the type from the name. RFC 1738 §3.2.3: "the data content type of a file can only be guessed from the name,
 * e.g., from the suffix of the name; the appropriate type code [...] can then be deduced from the data content". A
 * media type `text/…` is `A`, since both have CR LF at the ends of lines (RFC 2046 §4.1.1). All other files are `I`.
 */
export function guessTransferType(name: Uint8Array): TransferType {
  const mediaType = guessMediaType(name);
  if (mediaType === undefined) return { code: "I", reason: "no known suffix" };
  const isText = mediaType.startsWith("text/") && !MULTIBYTE_TEXT.has(mediaType);
  return { code: isText ? "A" : "I", reason: `the suffix means ${mediaType}` };
}
