import type { ByteSource } from "@anyscheme/core/plugin";

const CR = 0x0d;
const LF = 0x0a;

/**
 * Text of TYPE A with LF at the ends of its lines. RFC 959 §3.1.1.1: "The sender converts the data from an internal character
 * representation to the standard 8-bit NVT-ASCII representation [...]. The receiver will convert the data from the standard
 * form to his own internal form." Only CR LF is a line end; every other CR and LF stays.
 */
export function crlfToLf(source: ByteSource): ByteSource {
  let held = false;
  return {
    async read(take) {
      const state = await source.read((bytes) => {
        // What tells nothing of the next byte leaves a CR held.
        if (bytes.length === 0) return true;
        const before = held && bytes[0] !== LF;
        held = bytes.at(-1) === CR;
        const text = shortened(held ? bytes.subarray(0, -1) : bytes);
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

/** The bytes without the CR before each LF, in their own place. */
function shortened(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let to = 0;
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) continue;
    bytes.copyWithin(to, from, at);
    to += at - from;
    from = at + 1;
  }
  bytes.copyWithin(to, from);
  return bytes.subarray(0, to + bytes.length - from);
}

/** Text with CR LF at the ends of its lines, as TYPE A has it on the wire; a LF that has its CR already stays. */
export async function* lfToCrlf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: number | undefined;
  for await (const piece of pieces) {
    const out: number[] = [];
    for (const byte of piece) {
      if (byte === LF && last !== CR) out.push(CR);
      out.push(byte);
      last = byte;
    }
    yield Uint8Array.from(out);
  }
}
