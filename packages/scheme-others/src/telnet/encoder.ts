import { COMMANDS, IAC, type Verb } from "./octets.ts";

const CR = 0x0d;
const LF = 0x0a;

/**
 * Data as it goes on the wire: IAC doubled, and unless in binary NUL behind every CR that no LF follows. RFC 854: "the
 * sequence <CR NUL> must be used where a carriage return alone is actually desired".
 */
export function encodeData(octets: Uint8Array, binary: boolean): Uint8Array {
  let extra = 0;
  for (let at = 0; at < octets.length; at++) if (isLonger(octets, at, binary)) extra++;
  if (extra === 0) return octets;
  const encoded = new Uint8Array(octets.length + extra);
  let to = 0;
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] as number;
    encoded[to++] = octet;
    // The array is full of zeros, so that a NUL only has to be passed over.
    if (isLonger(octets, at, binary)) encoded[to++] = octet === IAC ? IAC : 0;
  }
  return encoded;
}

function isLonger(octets: Uint8Array, at: number, binary: boolean): boolean {
  return octets[at] === IAC || (octets[at] === CR && !binary && octets[at + 1] !== LF);
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
