import { rejectControlBytes, type PlanOptions } from "@anyscheme/core/plugin";

const encoder = new TextEncoder();
const IAC = 0xff;
const BLANK = 0x20;
const LINE_END: Uint8Array = Uint8Array.of(0x0d, 0x0a);

/** What a command line is made from. */
export interface CommandParts {
  readonly verb: string;
  /** Decoded. An empty argument is sent as such, behind a blank; without an argument there is no blank. */
  readonly argument?: Uint8Array | undefined;
  /** What the argument is, for errors. */
  readonly what?: string | undefined;
}

/**
 * The bytes of one command, line end included. The argument goes out byte by byte; only 0xFF is doubled, which the Telnet
 * protocol of the control connection takes for a command otherwise (RFC 959 §2.3, RFC 854). Throws `refused-characters` for NUL,
 * CR and LF, and for other control bytes unless they are allowed.
 */
export function encodeCommand(
  { verb, argument, what = "argument" }: CommandParts,
  options: PlanOptions,
): Uint8Array {
  if (argument === undefined) return encoder.encode(`${verb}\r\n`);
  const safe = rejectControlBytes(argument, what, options);
  const escaped = safe.includes(IAC) ? Uint8Array.from(doubled(safe)) : safe;
  const line = new Uint8Array(verb.length + 1 + escaped.length + 2);
  for (let at = 0; at < verb.length; at++) line[at] = verb.charCodeAt(at);
  line[verb.length] = BLANK;
  line.set(escaped, verb.length + 1);
  line.set(LINE_END, line.length - 2);
  return line;
}

function* doubled(bytes: Uint8Array): Generator<number> {
  for (const byte of bytes) {
    if (byte === IAC) yield IAC;
    yield byte;
  }
}

/** Bytes as a person may read them on any terminal: what is not printable US-ASCII as escapes. */
export function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return text.replace(/[^ -~]/g, (letter) => {
    const digits = letter.charCodeAt(0).toString(16).toUpperCase();
    return `%${digits.padStart(2, "0")}`;
  });
}
