import type { ByteSource } from "@anyscheme/core";

const CR = 0x0d;
const LF = 0x0a;

/**
 * Text of TYPE A with LF at the ends of its lines. RFC 959 §3.1.1.1: "The sender converts the data from an internal character
 * representation to the standard 8-bit NVT-ASCII representation [...]. The receiver will convert the data from the standard
 * form to his own internal form." Only CR LF is a line end; every other CR and LF stays.
 */
export function withLocalLineEnds(source: ByteSource): ByteSource {
  let held = false;
  return {
    async read(take) {
      const state = await source.read((octets) => {
        // What tells nothing of the next octet leaves a CR held.
        if (octets.length === 0) return true;
        const before = held && octets[0] !== LF;
        held = octets.at(-1) === CR;
        const text = shortened(held ? octets.subarray(0, -1) : octets);
        const whole = before ? Uint8Array.from([CR, ...text]) : text;
        return whole.length === 0 || take(whole);
      });
      if (state === "end" && held) {
        held = false;
        take(Uint8Array.of(CR));
      }
      return state;
    },
    cancel: () => source.cancel(),
  };
}

/** The octets without the CR before each LF, in their own place. */
function shortened(octets: Uint8Array): Uint8Array {
  let from = 0;
  let to = 0;
  for (let at = octets.indexOf(CR); at >= 0; at = octets.indexOf(CR, at + 1)) {
    if (octets[at + 1] !== LF) continue;
    octets.copyWithin(to, from, at);
    to += at - from;
    from = at + 1;
  }
  octets.copyWithin(to, from);
  return octets.subarray(0, to + octets.length - from);
}

/** Text with CR LF at the ends of its lines, as TYPE A has it on the wire; a LF that has its CR already stays. */
export async function* withNetworkLineEnds(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: number | undefined;
  for await (const piece of pieces) {
    const out: number[] = [];
    for (const octet of piece) {
      if (octet === LF && last !== CR) out.push(CR);
      out.push(octet);
      last = octet;
    }
    yield Uint8Array.from(out);
  }
}
