import { AccessError, type CoreLimits } from "@anyscheme/core";
import { createLimitError, type ByteSource } from "@anyscheme/core/plugin";
import { decodeProsperoServerText, throwIfQuoteIsOpen } from "../protocol/logical-lines.ts";
import { createProsperoFailureError, parseProsperoReplyLine } from "../protocol/reply-line.ts";

const BLANK = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const APOSTROPHE = 0x27;

const BLANKS: ReadonlySet<number | undefined> = new Set([BLANK, TAB, CR]);
/** The bytes that end an unquoted part of a Prospero attribute value. */
const TOKEN_DELIMITERS: ReadonlySet<number> = new Set([BLANK, TAB, CR, LF, APOSTROPHE]);

/** The maximum number of words before the bytes of an object in a Prospero reply. */
const MAX_CONTENTS_WORDS = 7;

/**
 * True if the given words of a Prospero reply line precede the contents of an object: `ATTRIBUTE OBJECT INTRINSIC
 * CONTENTS SEQUENCE DATA`, or `… TAGGED <tag>`. The word `SEQUENCE` is optional in such a line.
 */
function startsContents(words: readonly string[]): boolean {
  const [keyword, precedence = "", nature = "", name, ...form] = words;
  if (keyword !== "ATTRIBUTE" || name !== "CONTENTS" || `${precedence}${nature}`.includes("'")) return false;
  const [type, tag] = form[0] === "SEQUENCE" ? form.slice(1) : form;
  return type === "DATA" || (type === "TAGGED" && tag !== undefined);
}

/**
 * Decodes the quoted contents of a Prospero object in a reply, from chunks of any size. Concatenates the object's bytes
 * from several lines of the Prospero reply.
 */
export class ProsperoContentsDecoder {
  readonly #limits: CoreLimits;
  /**
   * The parser's position in a line of the Prospero reply. In the state `apostrophe`, the last byte was an apostrophe,
   * which ends a quotation or is doubled.
   */
  #state: "head" | "before-value" | "unquoted" | "quoted" | "apostrophe" | "after-value" = "head";
  #head = "";
  /** True when the received part of the Prospero reply line ends within a quotation. */
  #isHeadQuoted = false;
  /** The first complete words of the received part of the Prospero reply line, at most `MAX_CONTENTS_WORDS`. */
  #words: string[] = [];
  /** The incomplete word at the end of the received part of the line. */
  #word = "";
  /** The number of received bytes of the Prospero reply that are not part of the object's contents. */
  #bytesOutsideValues = 0;
  /** True when the bytes of the object have begun in the Prospero reply. */
  hasContents = false;

  constructor(limits: CoreLimits) {
    this.#limits = limits;
  }

  /**
   * Yields the bytes of the object in the given chunk of the Prospero reply. Throws `protocol`, `limit`, and the
   * failure that the Prospero server reports.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at] ?? 0;
      let end = at + 1;
      if (this.#state === "head") {
        this.#countByteOutsideValue();
        this.#readHead(byte);
      } else if (this.#state === "quoted") {
        const close = bytes.indexOf(APOSTROPHE, at);
        end = close < 0 ? bytes.length : close + 1;
        if (close < 0) yield bytes.subarray(at);
        else if (close > at) yield bytes.subarray(at, close);
        if (close >= 0) this.#state = "apostrophe";
      } else if (byte === APOSTROPHE && this.#state !== "after-value") {
        if (this.#state === "apostrophe") yield bytes.subarray(at, end);
        this.#state = "quoted";
      } else if (byte === LF) {
        this.#state = "head";
      } else if (BLANKS.has(byte)) {
        this.#countByteOutsideValue();
        if (this.#state !== "before-value") this.#state = "after-value";
      } else if (this.#state === "after-value") {
        throw new AccessError("protocol", "the server sent another value after the attribute CONTENTS");
      } else {
        while (end < bytes.length && !TOKEN_DELIMITERS.has(bytes[end] ?? 0)) end++;
        yield bytes.subarray(at, end);
        this.#state = "unquoted";
      }
      at = end;
    }
  }

  /**
   * Ends the reply. Throws `incomplete` if the Prospero reply ends within the contents, and `protocol` if the reply has
   * no contents.
   */
  end(): void {
    if (this.#state === "quoted") throw new AccessError("incomplete", "the reply ends within the contents");
    if (this.#state === "head" && this.#head !== "") {
      throwIfQuoteIsOpen(this.#head);
      this.#checkLine();
    }
    if (!this.hasContents) throw new AccessError("protocol", "the reply has no contents");
  }

  #readHead(byte: number): void {
    if (byte === LF && !this.#isHeadQuoted) return this.#checkLine();
    if (byte === APOSTROPHE) this.#isHeadQuoted = !this.#isHeadQuoted;
    this.#head += String.fromCharCode(byte);
    if (this.#head.length > this.#limits.maxListingLineBytes)
      throw createLimitError("maxListingLineBytes", this.#limits, "a line is too long");
    if (this.#words.length === MAX_CONTENTS_WORDS) return;
    if (this.#isHeadQuoted || (byte !== BLANK && byte !== TAB)) {
      this.#word += String.fromCharCode(byte);
    } else if (this.#word !== "") {
      this.#words.push(this.#word);
      this.#word = "";
      if (!startsContents(this.#words)) return;
      this.#clearHead();
      this.hasContents = true;
      this.#state = "before-value";
    }
  }

  #clearHead(): void {
    this.#head = "";
    this.#words = [];
    this.#word = "";
  }

  /**
   * The limit `maxBodyBytes` covers the object's contents, and `maxListingBytes` covers all other bytes of the Prospero
   * reply.
   */
  #countByteOutsideValue(): void {
    if (++this.#bytesOutsideValues > this.#limits.maxListingBytes)
      throw createLimitError("maxListingBytes", this.#limits, "the reply has too many bytes outside values");
  }

  /**
   * Checks the beginning of a Prospero reply line that contains no contents of an object in a known form. Throws the
   * failure that the server reports in the line, and `protocol` for contents in an unknown form.
   */
  #checkLine(): void {
    const line = parseProsperoReplyLine(this.#head);
    this.#clearHead();
    if (line.kind === "failure") throw createProsperoFailureError(line);
    if (line.kind === "attribute" && line.name === "CONTENTS")
      throw new AccessError("protocol", [
        "the server sent contents in an unknown form: ",
        decodeProsperoServerText(line.values[0] ?? ""),
      ]);
  }
}

/**
 * Returns the contents of a Prospero object from the server's reply. Resolves when the object's contents have begun in
 * the Prospero reply, so that a failure throws before the resource is created.
 */
export async function decodeProsperoContents(reply: ByteSource, limits: CoreLimits): Promise<ByteSource> {
  const decoder = new ProsperoContentsDecoder(limits);
  let chunks: Uint8Array[] = [];
  /**
   * The index of the first decoded chunk of the contents that the reader has not received. The decoder splits a
   * datagram of apostrophes into about 30 000 chunks.
   */
  let nextChunk = 0;
  let hasEnded = false;

  async function decodeNextPacket(): Promise<void> {
    const state = await reply.readChunks((bytes) => {
      chunks = [...decoder.push(bytes)];
      nextChunk = 0;
      return false;
    });
    if (state !== "end") return;
    decoder.end();
    hasEnded = true;
  }
  while (!hasEnded && !decoder.hasContents) await decodeNextPacket();

  return {
    async readChunks(onChunk) {
      for (;;) {
        for (let chunk = chunks[nextChunk++]; chunk; chunk = chunks[nextChunk++])
          if (!onChunk(chunk)) return "more";
        if (hasEnded) return "end";
        await decodeNextPacket();
      }
    },
    cancel() {
      chunks = [];
      reply.cancel();
    },
  };
}
