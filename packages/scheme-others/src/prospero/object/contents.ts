import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource, serverText } from "@anyscheme/core/plugin";
import { rejectOpenQuote, parseLine } from "../protocol/reply-line.ts";
import { failureError } from "../protocol/failure.ts";
import { latin1ToSingleLine } from "../protocol/text.ts";

const BLANK = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const APOSTROPHE = 0x27;

/** What stands before the bytes of an object: `ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA`, or `… TAGGED <tag>`. */
const HEAD =
  /^ATTRIBUTE[ \t]+[^\s']+[ \t]+[^\s']+[ \t]+CONTENTS[ \t]+(?:SEQUENCE[ \t]+)?(?:DATA|TAGGED[ \t]+(?:[^\s']|'[^']*')+)[ \t]$/;

/** The text of an apostrophe that was doubled. */
const ONE_APOSTROPHE = Uint8Array.of(APOSTROPHE);

/** Takes the bytes of an object out of the reply that quotes them, in whatever pieces it arrives. Several lines are one object. */
export class ContentsDecoder {
  readonly #limits: Limits;
  #state: "head" | "before" | "plain" | "quoted" | "apostrophe" | "after" = "head";
  #head = "";
  /** Whether what has come of a line ends within a quotation. */
  #quoted = false;
  #found = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether the beginning of the contents has been seen. */
  get hasContents(): boolean {
    return this.#found;
  }

  /** The bytes of the object in this piece. Throws `protocol`, `limit`, and the server's refusal. */
  push(bytes: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      at = this.#state === "head" ? this.#readHead(bytes, at) : this.#readValue(bytes, at, pieces);
    }
    return pieces;
  }

  /** Tells that the reply is over. Throws `incomplete` within the contents, and `protocol` when there were none. */
  end(): void {
    if (this.#state === "quoted") throw new AccessError("incomplete", "the reply ends within the contents");
    if (this.#state === "head" && this.#head !== "") {
      rejectOpenQuote(this.#head);
      this.#judgeLine();
    }
    if (!this.#found) throw new AccessError("protocol", "the reply has no contents");
  }

  #readHead(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === LF && !this.#quoted) {
        this.#judgeLine();
      } else {
        if (byte === APOSTROPHE) this.#quoted = !this.#quoted;
        this.#head += String.fromCharCode(byte);
        if (this.#head.length > this.#limits.maxListingLineBytes)
          throw limitError("maxListingLineBytes", this.#limits, "a line is too long");
        if ((byte === BLANK || byte === TAB) && HEAD.test(this.#head)) {
          this.#head = "";
          this.#found = true;
          this.#state = "before";
          return at + 1;
        }
      }
    }
    return bytes.length;
  }

  /** Throws for a line that refuses the contents, and for one that holds a piece of them in an unknown form. */
  #judgeLine(): void {
    const line = parseLine(this.#head);
    this.#head = "";
    if (line.kind === "failure") throw failureError(line);
    if (line.kind === "attribute" && line.name === "CONTENTS")
      throw new AccessError("protocol", [
        "the server sends contents in an unknown form: ",
        serverText(latin1ToSingleLine(line.values[0] ?? "")),
      ]);
  }

  #readValue(bytes: Uint8Array, at: number, pieces: Uint8Array[]): number {
    const byte = bytes[at] ?? 0;
    if (this.#state === "quoted") {
      const close = bytes.indexOf(APOSTROPHE, at);
      const end = close < 0 ? bytes.length : close;
      if (end > at) pieces.push(bytes.subarray(at, end));
      if (close >= 0) this.#state = "apostrophe";
      return end + 1;
    }
    if (this.#state === "apostrophe" && byte === APOSTROPHE) {
      pieces.push(ONE_APOSTROPHE);
      this.#state = "quoted";
      return at + 1;
    }
    if (byte === LF) {
      this.#state = "head";
      return at + 1;
    }
    const blank = byte === BLANK || byte === TAB || byte === CR;
    if (this.#state === "after" && !blank)
      throw new AccessError("protocol", "the server sends contents with a second value behind them");
    if (blank && (this.#state === "after" || this.#state === "before")) return at + 1;
    this.#state = blank ? "after" : byte === APOSTROPHE ? "quoted" : "plain";
    if (this.#state !== "plain") return at + 1;
    const end = valueEnd(bytes, at);
    pieces.push(bytes.subarray(at, end));
    return end;
  }
}

function valueEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BLANK || byte === TAB || byte === CR || byte === LF || byte === APOSTROPHE) break;
  }
  return at;
}

/** The contents of an object as a source. Resolves when the first bytes are there, so that a refusal comes before any resource. */
export async function openContents(reply: ByteSource, limits: Limits): Promise<ByteSource> {
  const decoder = new ContentsDecoder(limits);
  let held: Uint8Array[] = [];
  let next = 0;
  let ended = false;

  async function fill(): Promise<void> {
    const state = await reply.read((bytes) => {
      held = [...held.slice(next), ...decoder.push(bytes)];
      next = 0;
      return false;
    });
    if (state !== "end") return;
    decoder.end();
    ended = true;
  }
  while (!ended && !decoder.hasContents) await fill();

  return {
    async read(take) {
      for (;;) {
        for (let piece = held[next++]; piece; piece = held[next++]) if (!take(piece)) return "more";
        if (ended) return "end";
        await fill();
      }
    },
    cancel() {
      held = [];
      reply.cancel();
    },
  };
}
