import { COMMANDS, IAC, type Verb } from "./constants.ts";

const CR = 0x0d;
const LF = 0x0a;

/**
 * Data as it goes on the wire: IAC doubled, and unless in binary NUL behind every CR that no LF follows. RFC 854: "the
 * sequence <CR NUL> must be used where a carriage return alone is actually desired".
 */
export function encodeData(bytes: Uint8Array, binary: boolean): Uint8Array {
  let extra = 0;
  for (let at = 0; at < bytes.length; at++) if (isLonger(bytes, at, binary)) extra++;
  if (extra === 0) return bytes;
  const encoded = new Uint8Array(bytes.length + extra);
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    encoded[to++] = byte;
    // The array is full of zeros, so that a NUL only has to be passed over.
    if (isLonger(bytes, at, binary)) encoded[to++] = byte === IAC ? IAC : 0;
  }
  return encoded;
}

function isLonger(bytes: Uint8Array, at: number, binary: boolean): boolean {
  return bytes[at] === IAC || (bytes[at] === CR && !binary && bytes[at + 1] !== LF);
}

/** `IAC DO ECHO` and its like. */
export function encodeNegotiation(verb: Verb, option: number): Uint8Array {
  return Uint8Array.of(IAC, COMMANDS[verb], option);
}

/** `IAC SB <option> <parameters> IAC SE`, with each IAC of the parameters doubled. RFC 855. */
export function encodeSubnegotiation(option: number, parameters: Uint8Array): Uint8Array {
  const body = encodeData(parameters, true);
  return Uint8Array.of(IAC, COMMANDS.SB, option, ...body, IAC, COMMANDS.SE);
}
