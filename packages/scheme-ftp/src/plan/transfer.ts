import type { Step } from "@anyscheme/core";
import { guessMediaType, step } from "@anyscheme/core/plugin";
import { commandStep, encodeText, expectReply } from "./commands.ts";
import type { Exchange, ReceivePhase, TypePhase } from "./phases.ts";

/** Requests a port with PASV. The client sends it after a refusal of EPSV or a failed connection to its port. */
export const PASV: readonly Step[] = [
  commandStep({ name: "PASV" }, "RFC 959 4.1.2", {}, { onReply: "5" }),
  expectReply(["227"], "227 and a port; its address is not used", "5"),
];

export const EPSV: Step = commandStep({ name: "EPSV" }, "RFC 2428 3");

/** Expects the reply to EPSV, and falls back to PASV. */
export const PASSIVE_REPLIES: readonly Step[] = [
  expectReply(["229", "3", "5"], "229 and a port; PASV follows a refusal or an unreachable port"),
  ...PASV,
];

export const OPEN_DATA: Step = step(
  "connect",
  "RFC 959 3.2",
  "the data connection, to that port of the same host",
);

/** Expects the reply that starts the transfer. */
export const EXPECT_STARTED: Step = expectReply(["1"], "125 or 150, the transfer starts");

const NOOP = commandStep({ name: "NOOP" }, "RFC 959 4.1.3", {}, { onReply: "1" });
const EXPECT_COMPLETED = expectReply(["2"], "226 or 250, the transfer is complete");

export function receivePhase(spec: string, description: string): ReceivePhase {
  return { body: step("transfer", spec, description), keepAlive: NOOP, completion: EXPECT_COMPLETED };
}

export function typePhase({ code, reason }: TransferType, spec: string): TypePhase {
  const command = { name: "TYPE", argument: encodeText(code) };
  const description = `TYPE ${code} (${reason})`;
  return {
    type: code,
    steps: [commandStep(command, spec, {}, { description }), expectReply(["2"], "200, the type is set")],
  };
}

/** Starts the next transfer at this byte. RFC 3659 §5.3. */
export function restartExchange(start: number): Exchange {
  return {
    command: commandStep({ name: "REST", argument: encodeText(String(start)) }, "RFC 3659 5"),
    reply: expectReply(["350"], "350, the transfer will start at that byte"),
  };
}

/** The representation type of a transfer (RFC 959 §3.1.1), and the reason for it. */
export interface TransferType {
  readonly code: "A" | "I";
  readonly reason: string;
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
