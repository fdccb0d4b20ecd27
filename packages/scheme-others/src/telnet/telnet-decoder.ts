import { createLimitError } from "@anyscheme/core/plugin";
import { TELNET_COMMAND_CODES, IAC_BYTE, type NegotiationVerb } from "./telnet-codes.ts";
import type { TelnetLimits } from "./scheme-options.ts";

/**
 * An event in a decoded Telnet stream: data, a command, a negotiation or a subnegotiation. The bytes of a Telnet event
 * are valid until the caller requests the next event.
 */
export type TelnetEvent =
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  | { readonly kind: "command"; readonly command: number }
  | { readonly kind: "negotiation"; readonly verb: NegotiationVerb; readonly option: number }
  | { readonly kind: "subnegotiation"; readonly option: number; readonly parameters: Uint8Array };

const NEGOTIATION_VERBS_BY_CODE: ReadonlyMap<number, NegotiationVerb> = new Map(
  (["WILL", "WONT", "DO", "DONT"] as const).map((verb) => [TELNET_COMMAND_CODES[verb], verb]),
);

const CR = 0x0d;
const NUL = 0x00;
const EMPTY_BYTES = new Uint8Array(0);
/** The initial size in bytes of the buffer for the parameters of a Telnet subnegotiation, enough for common options. */
const INITIAL_PARAMETER_BYTES = 64;

/** The state of the parser: in data, after CR, IAC or a verb, or within a subnegotiation. */
type TelnetDecoderState = "data" | "cr" | "iac" | NegotiationVerb | "sb" | "sb-data" | "sb-iac";

/** Parses a Telnet stream that arrives in chunks of any size. RFC 854. */
export class TelnetDecoder {
  /**
   * True while the peer sends in binary, where CR NUL is two bytes of data. RFC 856. The caller may change this field
   * between two decoded Telnet events.
   */
  isBinary = false;
  readonly #limits: TelnetLimits;
  #state: TelnetDecoderState = "data";
  #option = 0;
  /**
   * The buffer for the parameters of a subnegotiation. The first `#length` bytes of the buffer contain the received
   * parameters.
   */
  #parameters: Uint8Array = EMPTY_BYTES;
  #length = 0;

  constructor(limits: TelnetLimits) {
    this.#limits = limits;
  }

  /**
   * Yields the Telnet events of the next bytes. Parses a Telnet event only when the caller requests it. Throws `limit`
   * for a Telnet subnegotiation that is too long.
   */
  *decode(bytes: Uint8Array): Generator<TelnetEvent, void> {
    let position = 0;
    while (position < bytes.length) {
      if (this.#state === "data" || this.#state === "cr") {
        const end = this.#endOfData(bytes, position);
        if (end > position) yield { kind: "data", bytes: bytes.subarray(position, end) };
        position = end;
        // The data ends at IAC, or at the NUL after a CR, which is not data.
        if (bytes[position++] === IAC_BYTE) this.#state = "iac";
      } else {
        const event = this.#parseByte(bytes[position++] as number);
        if (event) yield event;
      }
    }
  }

  /** Returns the index where the data ends: at IAC, at the NUL after a CR, or at the end of the bytes. */
  #endOfData(bytes: Uint8Array, start: number): number {
    for (let index = start; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      const isAfterCr = this.#state === "cr";
      this.#state = byte === CR && !this.isBinary ? "cr" : "data";
      if (byte === IAC_BYTE || (byte === NUL && isAfterCr)) return index;
    }
    return bytes.length;
  }

  #parseByte(byte: number): TelnetEvent | undefined {
    const state = this.#state;
    switch (state) {
      case "data":
      case "cr":
        return undefined;
      case "iac":
        return this.#parseCommand(byte);
      case "sb":
        this.#option = byte;
        this.#length = 0;
        // An IAC is no option, but begins the end of an empty subnegotiation.
        this.#state = byte === IAC_BYTE ? "sb-iac" : "sb-data";
        return undefined;
      case "sb-data":
        if (byte === IAC_BYTE) this.#state = "sb-iac";
        else this.#addParameterByte(byte);
        return undefined;
      case "sb-iac":
        return this.#parseSubnegotiationCommand(byte);
      default:
        this.#state = "data";
        return { kind: "negotiation", verb: state, option: byte };
    }
  }

  #parseCommand(byte: number): TelnetEvent | undefined {
    const verb = NEGOTIATION_VERBS_BY_CODE.get(byte);
    this.#state = verb ?? (byte === TELNET_COMMAND_CODES.SB ? "sb" : "data");
    if (byte === IAC_BYTE) return { kind: "data", bytes: Uint8Array.of(IAC_BYTE) };
    return this.#state === "data" ? { kind: "command", command: byte } : undefined;
  }

  #parseSubnegotiationCommand(byte: number): TelnetEvent | undefined {
    if (byte === IAC_BYTE) {
      this.#state = "sb-data";
      this.#addParameterByte(IAC_BYTE);
      return undefined;
    }
    // A command other than SE means that the peer omitted the end of its subnegotiation.
    if (byte !== TELNET_COMMAND_CODES.SE) return this.#parseCommand(byte);
    this.#state = "data";
    const parameters = this.#parameters.slice(0, this.#length);
    this.#parameters = EMPTY_BYTES;
    return { kind: "subnegotiation", option: this.#option, parameters };
  }

  #addParameterByte(byte: number): void {
    const { maxSubnegotiationBytes } = this.#limits;
    if (this.#length >= maxSubnegotiationBytes)
      throw createLimitError("maxSubnegotiationBytes", this.#limits, "a Telnet subnegotiation is too long");
    if (this.#length === this.#parameters.length) {
      const wanted = Math.max(INITIAL_PARAMETER_BYTES, 2 * this.#length);
      const larger = new Uint8Array(Math.min(wanted, Math.ceil(maxSubnegotiationBytes)));
      larger.set(this.#parameters);
      this.#parameters = larger;
    }
    this.#parameters[this.#length++] = byte;
  }
}
