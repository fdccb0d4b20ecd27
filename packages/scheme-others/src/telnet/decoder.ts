import type { Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import { COMMANDS, IAC, type Verb } from "./constants.ts";

/** What a Telnet stream holds. Bytes are valid until the next event is asked for. */
export type TelnetEvent =
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  | { readonly kind: "command"; readonly command: number }
  | { readonly kind: "negotiation"; readonly verb: Verb; readonly option: number }
  | { readonly kind: "subnegotiation"; readonly option: number; readonly parameters: Uint8Array };

const VERBS: ReadonlyMap<number, Verb> = new Map(
  (["WILL", "WONT", "DO", "DONT"] as const).map((verb) => [COMMANDS[verb], verb]),
);

const CR = 0x0d;
const NUL = 0x00;
const NOTHING = new Uint8Array(0);
/** Room for the parameters of all subnegotiations that anybody uses. */
const FIRST_BYTES = 64;

/** Where the stream is: in data, behind a CR, behind IAC, behind a verb, and the same within a subnegotiation. */
type State = "data" | "cr" | "iac" | Verb | "sb" | "sb-data" | "sb-iac";

/** Takes a Telnet stream apart, however it is split. RFC 854. */
export class TelnetDecoder {
  /** Whether the peer sends in binary, where CR NUL is two bytes. RFC 856. May change between two events. */
  isBinary = false;
  readonly #limits: Limits;
  #state: State = "data";
  #option = 0;
  /** Room for parameters, of which the first `#length` bytes are taken. */
  #parameters: Uint8Array = NOTHING;
  #length = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The events of the next bytes. Each is found when it is asked for. Throws `limit` for an overlong subnegotiation. */
  *decode(bytes: Uint8Array): Generator<TelnetEvent, void> {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "data" || this.#state === "cr") {
        const end = this.#endOfRun(bytes, at);
        if (end > at) yield { kind: "data", bytes: bytes.subarray(at, end) };
        at = end;
        // What ended the run: IAC, or the NUL behind a CR, which is no data.
        if (bytes[at++] === IAC) this.#state = "iac";
      } else {
        const event = this.#step(bytes[at++] as number);
        if (event) yield event;
      }
    }
  }

  /** The index where the data from `at` on ends: at IAC, at the NUL behind a CR, or at the end. */
  #endOfRun(bytes: Uint8Array, at: number): number {
    for (let index = at; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      const afterCr = this.#state === "cr";
      this.#state = byte === CR && !this.isBinary ? "cr" : "data";
      if (byte === IAC || (byte === NUL && afterCr)) return index;
    }
    return bytes.length;
  }

  #step(byte: number): TelnetEvent | undefined {
    const state = this.#state;
    switch (state) {
      case "data":
      case "cr":
        return undefined;
      case "iac":
        return this.#command(byte);
      case "sb":
        this.#option = byte;
        this.#length = 0;
        this.#state = "sb-data";
        return undefined;
      case "sb-data":
        if (byte === IAC) this.#state = "sb-iac";
        else this.#collect(byte);
        return undefined;
      case "sb-iac":
        return this.#inSubnegotiation(byte);
      default:
        this.#state = "data";
        return { kind: "negotiation", verb: state, option: byte };
    }
  }

  #command(byte: number): TelnetEvent | undefined {
    const verb = VERBS.get(byte);
    this.#state = verb ?? (byte === COMMANDS.SB ? "sb" : "data");
    if (byte === IAC) return { kind: "data", bytes: Uint8Array.of(IAC) };
    return this.#state === "data" ? { kind: "command", command: byte } : undefined;
  }

  #inSubnegotiation(byte: number): TelnetEvent | undefined {
    if (byte === IAC) {
      this.#state = "sb-data";
      this.#collect(IAC);
      return undefined;
    }
    // Any other command means that the peer has forgotten the end of its subnegotiation.
    if (byte !== COMMANDS.SE) return this.#command(byte);
    this.#state = "data";
    const parameters = this.#parameters.slice(0, this.#length);
    this.#parameters = NOTHING;
    return { kind: "subnegotiation", option: this.#option, parameters };
  }

  #collect(byte: number): void {
    const { maxSubnegotiationBytes } = this.#limits;
    if (this.#length >= maxSubnegotiationBytes)
      throw limitError("maxSubnegotiationBytes", this.#limits, "a Telnet subnegotiation is too long");
    if (this.#length === this.#parameters.length) {
      const room = Math.min(Math.max(FIRST_BYTES, 2 * this.#length), Math.ceil(maxSubnegotiationBytes));
      const larger = new Uint8Array(room);
      larger.set(this.#parameters);
      this.#parameters = larger;
    }
    this.#parameters[this.#length++] = byte;
  }
}
