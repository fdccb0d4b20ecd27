import type { ServiceOptions } from "@anyscheme/core/plugin";

/** The size of a terminal in characters. */
export type WindowSize = NonNullable<ServiceOptions["windowSize"]>;

/** The first byte of a subnegotiation of the terminal type. RFC 1091. */
export const TERMINAL_TYPE = { IS: 0, SEND: 1 } as const;

/**
 * Encodes the terminal type. RFC 1091: "a NVT ASCII string", of at most 40 characters in IANA's registry. Throws `TypeError` for any
 * other name.
 */
export function terminalTypeParameters(name: string): Uint8Array {
  if (!/^[!-~]{1,40}$/.test(name))
    throw new TypeError("a terminal type is a name of 1 to 40 printable characters of US-ASCII");
  return Uint8Array.of(TERMINAL_TYPE.IS, ...new TextEncoder().encode(name));
}

/** Encodes the window size as two 16-bit numbers, columns first. RFC 1073. Throws `TypeError` for other numbers. */
export function windowSizeParameters({ columns, rows }: WindowSize): Uint8Array {
  for (const count of [columns, rows]) {
    if (!Number.isInteger(count) || count < 0 || count > 0xffff)
      throw new TypeError("a window has 0 to 65535 columns and rows");
  }
  return Uint8Array.of(columns >> 8, columns & 0xff, rows >> 8, rows & 0xff);
}
