import type { Step } from "@anyscheme/core";
import {
  createExpectReplyStep,
  rejectControlBytes,
  createSendStep,
  createStep,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import type { FtpCommandAndReplySteps, TypeCommandSteps } from "./plan-types.ts";

const utf8Encoder = new TextEncoder();
const TELNET_IAC = 0xff;
const CR = 0x0d;
const LF = 0x0a;

/** An FTP command with its decoded argument. */
export interface FtpCommand {
  readonly name: string;
  /**
   * The decoded argument. An argument of type string is sent as UTF-8. With an empty argument, the command ends with a
   * single space.
   */
  readonly argument?: Uint8Array | string | undefined;
  /** The name of the argument in error messages. Default `"name"`. */
  readonly argumentNameInErrors?: string | undefined;
  /** True when error messages must not contain bytes of the argument. Default false. */
  readonly isArgumentSecret?: boolean | undefined;
}

interface FtpCommandInit {
  /** The description of the command's step in the plan. Default: the command. */
  readonly description?: string | undefined;
  readonly onReply?: string | undefined;
  readonly secret?: boolean | undefined;
}

/** Creates the `send` step of a command. Throws `refused-characters` for an argument that must not be sent. */
export function createFtpCommandStep(
  command: FtpCommand,
  spec: string,
  requestOptions: PlanOptions = {},
  { description, ...init }: FtpCommandInit = {},
): Step {
  const { name, argument } = command;
  const text = argument === undefined ? name : `${name} ${percentEscapeFtpArgument(argument)}`;
  return createSendStep(encodeFtpCommand(command, requestOptions), spec, description ?? text, {
    command: name,
    ...init,
  });
}

// RFC 1123 §4.1.2.11: "A User-FTP SHOULD generally use only the highest-order digit of a 3-digit reply code for making
// a procedural decision". A plan compares the other digits of a reply code only if the next step depends on them.

/** The reply codes of a refusal that does not end the request. The reply 421 always ends the request. */
export const TOLERATED_REFUSAL_CODES: readonly string[] = ["4", "5"];

/** The expected reply codes of SIZE and MDTM. A refusal of SIZE or MDTM does not end the request. */
export const SIZE_AND_MDTM_REPLY_CODES: readonly string[] = ["213", ...TOLERATED_REFUSAL_CODES];

/** Creates the step that expects a reply whose code begins with one of `codes`. */
export function createExpectFtpReplyStep(
  codes: readonly string[],
  description: string,
  onReply?: string,
): Step {
  return createExpectReplyStep(codes, "RFC 959 5.4", description, onReply);
}

/**
 * Encodes a command line. The bytes of the argument are sent unchanged, except that 0xFF is doubled. The byte 0xFF is
 * the IAC of the Telnet protocol on the control connection (RFC 959 §2.3). Throws `refused-characters` for NUL, CR and
 * LF, and for other control bytes unless `allowControlCharacters` is set.
 */
export function encodeFtpCommand(
  { name, argument, argumentNameInErrors = "name", isArgumentSecret }: FtpCommand,
  requestOptions: PlanOptions = {},
): Uint8Array {
  if (argument === undefined) return utf8Encoder.encode(`${name}\r\n`);
  const inErrors = { name: argumentNameInErrors, isSecret: isArgumentSecret };
  const bytes = [...rejectControlBytes(encodeCommandArgument(argument), inErrors, requestOptions)];
  const escaped = bytes.includes(TELNET_IAC)
    ? bytes.flatMap((byte) => (byte === TELNET_IAC ? [TELNET_IAC, TELNET_IAC] : byte))
    : bytes;
  return Uint8Array.from([...utf8Encoder.encode(`${name} `), ...escaped, CR, LF]);
}

function encodeCommandArgument(argument: Uint8Array | string): Uint8Array {
  return typeof argument === "string" ? utf8Encoder.encode(argument) : argument;
}

/** Returns bytes as printable US-ASCII, with `%XX` for every other byte. */
export function percentEscapeFtpArgument(argument: Uint8Array | string): string {
  const text = Buffer.from(encodeCommandArgument(argument)).toString("latin1");
  return text.replace(/[^ -~]/g, (character) => {
    const digits = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${digits.padStart(2, "0")}`;
  });
}

/** Requests a port with PASV after a failed EPSV: a refusal, a reply without a port, or an unreachable port. */
export const PASV_FALLBACK_STEPS: readonly Step[] = [
  createFtpCommandStep({ name: "PASV" }, "RFC 959 4.1.2", {}, { onReply: "5" }),
  createExpectFtpReplyStep(
    ["227"],
    "the server replies 227 with a port; the client ignores the address",
    "5",
  ),
];

export const SEND_EPSV_STEP: Step = createFtpCommandStep({ name: "EPSV" }, "RFC 2428 3");

/** Expects the reply to EPSV, and falls back to PASV. */
export const EPSV_REPLY_AND_PASV_FALLBACK_STEPS: readonly Step[] = [
  createExpectFtpReplyStep(
    ["2", "3", "4", "5"],
    "the server replies 229 with a port; the client sends PASV after any other reply, or if the port is unreachable",
  ),
  ...PASV_FALLBACK_STEPS,
];

export const OPEN_DATA_CONNECTION_STEP: Step = createStep(
  "connect",
  "RFC 959 3.2",
  "the client opens the data connection to this port on the same host",
);

export const EXPECT_TRANSFER_START_STEP: Step = createExpectFtpReplyStep(
  ["1"],
  "the server replies 125 or 150 (transfer starts)",
);

/** The representation type of a transfer (RFC 959 §3.1.1), and the reason for it. */
export interface TransferTypeAndReason {
  readonly code: "A" | "I";
  readonly reason: string;
}

/** Returns the steps that set the transfer type with TYPE. */
export function createTypeCommandSteps(
  { code, reason }: TransferTypeAndReason,
  spec: string,
): TypeCommandSteps {
  const description = `TYPE ${code} (${reason})`;
  return {
    type: code,
    steps: [
      createFtpCommandStep({ name: "TYPE", argument: code }, spec, {}, { description }),
      createExpectFtpReplyStep(["2"], "the server replies 200 (transfer type set)"),
    ],
  };
}

/** Creates the REST command, which sets the byte at which the next transfer starts. RFC 3659 §5.3. */
export function createRestCommandSteps(start: number): FtpCommandAndReplySteps {
  return {
    sendCommand: createFtpCommandStep({ name: "REST", argument: String(start) }, "RFC 3659 5"),
    expectReply: createExpectFtpReplyStep(
      ["350"],
      "the server replies 350 (the transfer will start at this offset)",
    ),
  };
}

/** Returns the steps that rename a file or directory with RNFR and RNTO. RFC 959 §4.1.3. */
export function createRenameSteps(from: Uint8Array, to: Uint8Array, requestOptions: PlanOptions): Step[] {
  return [
    createFtpCommandStep({ name: "RNFR", argument: from }, "RFC 959 4.1.3", requestOptions),
    createExpectFtpReplyStep(["3"], "the server replies 350 (new name required)"),
    createFtpCommandStep({ name: "RNTO", argument: to }, "RFC 959 4.1.3", requestOptions),
    createExpectFtpReplyStep(["2"], "the server replies 250 (renamed)"),
  ];
}
