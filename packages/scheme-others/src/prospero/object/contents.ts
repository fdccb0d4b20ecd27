import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource, serverText, latin1ToText, toSingleLine } from "@anyscheme/core/plugin";
import { rejectOpenQuote, parseLine } from "../protocol/reply-line.ts";
import { failureError } from "../protocol/failure.ts";

const BLANK = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const APOSTROPHE = 0x27;

/** The text before the bytes of an object: `ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA`, or `… TAGGED <tag>`. */
const HEAD =
  /^ATTRIBUTE[ \t]+[^\s']+[ \t]+[^\s']+[ \t]+CONTENTS[ \t]+(?:SEQUENCE[ \t]+)?(?:DATA|TAGGED[ \t]+(?:[^\s']|'[^']*')+)[ \t]$/;

const ONE_APOSTROPHE = Uint8Array.of(APOSTROPHE);

/**
 * Decodes the quoted bytes of an object in a reply, from chunks of any size. Concatenates the contents of several
 * lines.
 */
export class ContentsDecoder {
  readonly #limits: Limits;
  #state: "head" | "before" | "plain" | "quoted" | "apostrophe" | "after" = "head";
  #head = "";
  /** True when the incomplete line ends within a quotation. */
  #quoted = false;
  #found = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** True when the contents have begun. */
  get hasContents(): boolean {
    return this.#found;
  }

  /** Returns the bytes of the object in this chunk. Throws `protocol`, `limit`, and the server's failure. */
  push(bytes: Uint8Array): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      at = this.#state === "head" ? this.#readHead(bytes, at) : this.#readValue(bytes, at, chunks);
    }
    return chunks;
  }

  /** Ends the reply. Throws `incomplete` within the contents, and `protocol` without contents. */
  end(): void {
    if (this.#state === "quoted") throw new AccessError("incomplete", "the reply ends within the contents");
    if (this.#state === "head" && this.#head !== "") {
      rejectOpenQuote(this.#head);
      this.#checkLine();
    }
    if (!this.#found) throw new AccessError("protocol", "the reply has no contents");
  }

  #readHead(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === LF && !this.#quoted) {
        this.#checkLine();
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

  /** Checks a line. Throws for a failure, and for contents in an unknown form. */
  #checkLine(): void {
    const line = parseLine(this.#head);
    this.#head = "";
    if (line.kind === "failure") throw failureError(line);
    if (line.kind === "attribute" && line.name === "CONTENTS")
      throw new AccessError("protocol", [
        "the server sent contents in an unknown form: ",
        serverText(toSingleLine(latin1ToText(line.values[0] ?? ""))),
      ]);
  }

  #readValue(bytes: Uint8Array, at: number, chunks: Uint8Array[]): number {
    const byte = bytes[at] ?? 0;
    if (this.#state === "quoted") {
      const close = bytes.indexOf(APOSTROPHE, at);
      const end = close < 0 ? bytes.length : close;
      if (end > at) chunks.push(bytes.subarray(at, end));
      if (close >= 0) this.#state = "apostrophe";
      return end + 1;
    }
    if (this.#state === "apostrophe" && byte === APOSTROPHE) {
      chunks.push(ONE_APOSTROPHE);
      this.#state = "quoted";
      return at + 1;
    }
    if (byte === LF) {
      this.#state = "head";
      return at + 1;
    }
    const blank = byte === BLANK || byte === TAB || byte === CR;
    if (this.#state === "after" && !blank)
      throw new AccessError("protocol", "the server sent a second value after the contents");
    if (blank && (this.#state === "after" || this.#state === "before")) return at + 1;
    this.#state = blank ? "after" : byte === APOSTROPHE ? "quoted" : "plain";
    if (this.#state !== "plain") return at + 1;
    const end = valueEnd(bytes, at);
    chunks.push(bytes.subarray(at, end));
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

/**
 * Returns the contents of an object. Resolves at the first bytes, so that a failure throws before the resource is
 * created.
 */
export async function openContents(reply: ByteSource, limits: Limits): Promise<ByteSource> {
  const decoder = new ContentsDecoder(limits);
  let chunks: Uint8Array[] = [];
  let next = 0;
  let ended = false;

  async function fill(): Promise<void> {
    const state = await reply.read((bytes) => {
      chunks = [...chunks.slice(next), ...decoder.push(bytes)];
      next = 0;
      return false;
    });
    if (state !== "end") return;
    decoder.end();
    ended = true;
  }
  while (!ended && !decoder.hasContents) await fill();

  return {
    async read(onChunk) {
      for (;;) {
        for (let piece = chunks[next++]; piece; piece = chunks[next++]) if (!onChunk(piece)) return "more";
        if (ended) return "end";
        await fill();
      }
    },
    cancel() {
      chunks = [];
      reply.cancel();
    },
  };
}
