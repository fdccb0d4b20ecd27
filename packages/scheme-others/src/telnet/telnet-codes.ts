/** The byte "interpret as command", which begins each Telnet command. RFC 854. */
export const IAC_BYTE = 255;

export const TELNET_COMMAND_CODES = {
  SE: 240,
  NOP: 241,
  DM: 242,
  BRK: 243,
  IP: 244,
  AO: 245,
  AYT: 246,
  EC: 247,
  EL: 248,
  GA: 249,
  SB: 250,
  WILL: 251,
  WONT: 252,
  DO: 253,
  DONT: 254,
} as const;

/** A Telnet command that negotiates an option. */
export type NegotiationVerb = "WILL" | "WONT" | "DO" | "DONT";

/**
 * The codes of Telnet options, by their names in IANA's registry <https://www.iana.org/assignments/telnet-options>.
 * This client can accept only the first five options of the table.
 */
export const TELNET_OPTION_CODES = {
  BINARY: 0,
  ECHO: 1,
  "SUPPRESS-GO-AHEAD": 3,
  "TERMINAL-TYPE": 24,
  NAWS: 31,
  STATUS: 5,
  "TIMING-MARK": 6,
  "TERMINAL-SPEED": 32,
  "REMOTE-FLOW-CONTROL": 33,
  LINEMODE: 34,
  "X-DISPLAY-LOCATION": 35,
  ENVIRON: 36,
  AUTHENTICATION: 37,
  ENCRYPT: 38,
  "NEW-ENVIRON": 39,
} as const;

const TELNET_OPTION_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(TELNET_OPTION_CODES).map(([name, option]) => [option, name]),
);

/** Returns the name of a Telnet option, or the number of an unknown option. */
export function formatTelnetOptionName(option: number): string {
  return TELNET_OPTION_NAMES.get(option) ?? String(option);
}
