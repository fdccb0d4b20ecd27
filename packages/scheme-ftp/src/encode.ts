import { lineSafe, type PlanOptions } from "@anyscheme/core";

const encoder = new TextEncoder();
const IAC = 0xff;

/** What a command line is made from. */
export interface CommandParts {
  readonly verb: string;
  /** Decoded. An empty argument is sent as such, behind a blank; without an argument there is no blank. */
  readonly argument?: Uint8Array | undefined;
  /** What the argument is, for errors. */
  readonly what?: string | undefined;
}

/**
 * The octets of one command, line end included. The argument goes out octet by octet; only 0xFF is doubled, which the Telnet
 * protocol of the control connection takes for a command otherwise (RFC 959 §2.3, RFC 854). Throws `refused-octets` for NUL,
 * CR and LF, and for other control octets unless they are allowed.
 */
export function encodeCommand(
  { verb, argument, what = "argument" }: CommandParts,
  options: PlanOptions,
): Uint8Array {
  if (argument === undefined) return encoder.encode(`${verb}\r\n`);
  const escaped = [...lineSafe(argument, what, options)].flatMap((octet) =>
    octet === IAC ? [IAC, IAC] : [octet],
  );
  return Uint8Array.from([...encoder.encode(`${verb} `), ...escaped, 0x0d, 0x0a]);
}

/** Octets as a person may read them on any terminal: what is not printable US-ASCII as escapes. */
export function shown(octets: Uint8Array): string {
  return Array.from(octets, (octet) =>
    octet >= 0x20 && octet < 0x7f
      ? String.fromCharCode(octet)
      : `%${octet.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
}
