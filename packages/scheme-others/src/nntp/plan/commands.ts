import { AccessError } from "@anyscheme/core";
import { rejectControlBytes } from "@anyscheme/core/plugin";

const encoder = new TextEncoder();

/**
 * The encoder: the only place where the bytes of a command are made, line end included. RFC 3977 §3.1. Throws `refused-characters`
 * for control bytes in the argument; no option lets any through, since TAB and blank alike separate arguments.
 */
export function encodeCommand(verb: string, argument?: string, what = "argument"): Uint8Array {
  if (argument === undefined) return encoder.encode(`${verb}\r\n`);
  const bytes = encoder.encode(`${verb} ${argument}\r\n`);
  rejectControlBytes(bytes.subarray(verb.length + 1, -2), what);
  return bytes;
}

/** RFC 3977 §3.6: "A message-id MUST NOT be longer than 250 octets", "<" and ">" among them. */
const MAX_MESSAGE_ID_BYTES = 250;

/**
 * A message identifier as commands take it, between "<" and ">". RFC 3977 §3.6: printable US-ASCII without ">". Throws
 * `refused-characters` for anything else: a ">" or a blank would end it, and begin another argument.
 */
export function toMessageIdArgument(decoded: Uint8Array): string {
  for (const byte of rejectControlBytes(decoded, "message identifier")) {
    if (byte > 0x20 && byte < 0x7f && byte !== LESS && byte !== GREATER) continue;
    const name = `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    throw refused(`the message identifier holds the byte ${name}`);
  }
  if (decoded.length + 2 > MAX_MESSAGE_ID_BYTES)
    throw refused(`the message identifier is longer than ${MAX_MESSAGE_ID_BYTES} bytes`);
  return `<${new TextDecoder().decode(decoded)}>`;
}

const LESS = 0x3c;
const GREATER = 0x3e;

function refused(what: string): AccessError {
  return new AccessError("refused-characters", what, {
    advice: "no article can have such a one (RFC 3977 §3.6)",
  });
}
