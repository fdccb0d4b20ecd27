import type { ServiceSessionOptions } from "@anyscheme/core";
import { bytesToLatin1, latin1ToBytes } from "@anyscheme/core/plugin";
import { TELNET_COMMAND_CODES, IAC_BYTE, type NegotiationVerb } from "./telnet-codes.ts";

/**
 * Encodes data for the Telnet connection. Doubles each IAC. Adds NUL after a CR without LF, unless the direction is
 * binary. RFC 854: "the sequence <CR NUL> must be used where a carriage return alone is actually desired".
 */
export function escapeTelnetData(bytes: Uint8Array, isBinary: boolean): Uint8Array {
  const escaped = isBinary ? /\xff/g : /\xff|\r(?!\n)/g;
  return latin1ToBytes(
    bytesToLatin1(bytes).replace(escaped, (character) => character + (character === "\r" ? "\0" : "\xff")),
  );
}

/** Encodes a negotiation such as `IAC DO ECHO`. */
export function encodeTelnetNegotiation(verb: NegotiationVerb, option: number): Uint8Array {
  return Uint8Array.of(IAC_BYTE, TELNET_COMMAND_CODES[verb], option);
}

/** Encodes `IAC SB <option> <parameters> IAC SE`. Doubles each IAC in the parameters. RFC 855. */
export function encodeTelnetSubnegotiation(option: number, parameters: Uint8Array): Uint8Array {
  const body = escapeTelnetData(parameters, true);
  return Uint8Array.of(IAC_BYTE, TELNET_COMMAND_CODES.SB, option, ...body, IAC_BYTE, TELNET_COMMAND_CODES.SE);
}

/** The size of a terminal in characters. */
export type TerminalSize = NonNullable<ServiceSessionOptions["terminalSize"]>;

/** The codes for the first byte in a subnegotiation of TERMINAL-TYPE. RFC 1091. */
export const TERMINAL_TYPE_CODES = { IS: 0, SEND: 1 } as const;

/**
 * Encodes the terminal type. RFC 1091: "a NVT ASCII string", of at most 40 characters in IANA's registry. Throws
 * `TypeError` for an invalid terminal type.
 */
export function encodeTerminalTypeParameters(name: string): Uint8Array {
  if (!/^[!-~]{1,40}$/.test(name))
    throw new TypeError("a terminal type is a name of 1 to 40 printable characters of US-ASCII");
  return Uint8Array.of(TERMINAL_TYPE_CODES.IS, ...new TextEncoder().encode(name));
}

/**
 * Encodes the size of the terminal as two 16-bit numbers, columns first. RFC 1073. Throws `TypeError` for a terminal
 * size below 0 or above 65535.
 */
export function encodeTerminalSizeParameters({ columns, rows }: TerminalSize): Uint8Array {
  for (const count of [columns, rows]) {
    if (!Number.isInteger(count) || count < 0 || count > 0xffff)
      throw new TypeError("a terminal has 0 to 65535 columns and rows");
  }
  return Uint8Array.of(columns >> 8, columns & 0xff, rows >> 8, rows & 0xff);
}
