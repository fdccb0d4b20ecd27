import type { Step } from "@anyscheme/core";
import { expectStep, rejectControlBytes, sendStep, type PlanOptions } from "@anyscheme/core/plugin";

const encoder = new TextEncoder();
const IAC = 0xff;
const SPACE = 0x20;
const CRLF: Uint8Array = Uint8Array.of(0x0d, 0x0a);

/** A command with its decoded argument. */
export interface FtpCommand {
  readonly name: string;
  /** The decoded argument. An empty argument is sent as a single space. `undefined` sends no space. */
  readonly argument?: Uint8Array | undefined;
  /** Names the argument in errors. Default `"argument"`. */
  readonly argumentName?: string | undefined;
}

interface CommandInit {
  /** Replaces the command in `description`. */
  readonly description?: string | undefined;
  readonly onReply?: string | undefined;
  readonly secret?: boolean | undefined;
}

/** Creates the `send` step of a command. Throws `refused-characters` for an argument that must not be sent. */
export function commandStep(
  command: FtpCommand,
  spec: string,
  options: PlanOptions = {},
  { description, ...init }: CommandInit = {},
): Step {
  const { name, argument } = command;
  const text = argument === undefined ? name : `${name} ${percentEscape(argument)}`;
  return sendStep(encodeCommand(command, options), spec, description ?? text, { command: name, ...init });
}

// RFC 1123 §4.1.2.11: "A User-FTP SHOULD generally use only the highest-order digit of a 3-digit reply code for making
// a procedural decision". Plans compare further digits only where the next step depends on them.

/** Creates the step that expects a reply whose code begins with one of `codes`. */
export function expectReply(codes: readonly string[], description: string, onReply?: string): Step {
  return expectStep(codes, "RFC 959 5.4", description, onReply);
}

/**
 * Encodes a command line. The bytes of the argument are sent unchanged, except that 0xFF is doubled. The byte 0xFF is
 * the IAC of the Telnet protocol on the control connection (RFC 959 §2.3). Throws `refused-characters` for NUL, CR and
 * LF, and for other control bytes unless `allowControlCharacters` is set.
 */
export function encodeCommand(
  { name, argument, argumentName = "argument" }: FtpCommand,
  options: PlanOptions,
): Uint8Array {
  if (argument === undefined) return encoder.encode(`${name}\r\n`);
  const safe = rejectControlBytes(argument, argumentName, options);
  const escaped = safe.includes(IAC) ? Uint8Array.from(doubleIac(safe)) : safe;
  const line = new Uint8Array(name.length + 1 + escaped.length + 2);
  encoder.encodeInto(name, line);
  line[name.length] = SPACE;
  line.set(escaped, name.length + 1);
  line.set(CRLF, line.length - 2);
  return line;
}

function* doubleIac(bytes: Uint8Array): Generator<number> {
  for (const byte of bytes) {
    if (byte === IAC) yield IAC;
    yield byte;
  }
}

/** Returns the bytes as printable US-ASCII, with `%XX` for every other byte. */
export function percentEscape(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return text.replace(/[^ -~]/g, (character) => {
    const digits = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${digits.padStart(2, "0")}`;
  });
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}
