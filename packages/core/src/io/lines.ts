import { AccessError } from "../errors/access-error.ts";
import { createLimitError, type LimitValuesByName } from "../policy/limits.ts";
import type { ByteSource } from "../scheme/context.ts";
import { bytesToLatin1 } from "../text/decode-bytes.ts";
import type { SocketReader } from "./socket-reader.ts";

const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits chunks of any size into lines. A line ends with LF or CR LF, which are not part of the returned line. The
 * returned lines are views of the last chunk, or copies.
 */
export class LineSplitter<Name extends string = string> {
  readonly #limits: LimitValuesByName<Name>;
  readonly #limitName: Name;
  #partial: Uint8Array = new Uint8Array(0);
  #failure: AccessError | undefined;

  /** `push` throws an error with the code `limit` for a line that exceeds the named limit. */
  constructor(limits: LimitValuesByName<Name>, limitName: Name) {
    this.#limits = limits;
    this.#limitName = limitName;
  }

  /**
   * Returns the lines that the given bytes complete. Throws for a line that is too long. If complete lines precede the
   * line that is too long, `push` returns the complete lines, and the next call throws.
   */
  push(bytes: Uint8Array): Uint8Array[] {
    this.throwIfTooLong();
    const lines: Uint8Array[] = [];
    for (let start = 0; ;) {
      const end = bytes.indexOf(LF, start);
      const piece = bytes.subarray(start, end < 0 ? bytes.length : end);
      const whole =
        this.#partial.length === 0 ? piece : new Uint8Array(Buffer.concat([this.#partial, piece]));
      const line = whole.at(-1) === CR ? whole.subarray(0, -1) : whole;
      this.#checkLength(line);
      if (this.#failure) break;
      if (end < 0) {
        this.#partial = whole === piece ? new Uint8Array(piece) : whole;
        break;
      }
      this.#partial = new Uint8Array(0);
      lines.push(line);
      start = end + 1;
    }
    if (lines.length === 0) this.throwIfTooLong();
    return lines;
  }

  /** Returns and removes the bytes after the last line end. */
  takeLastLine(): Uint8Array {
    const rest = this.#partial;
    // A CR without LF is part of the line.
    this.#checkLength(rest);
    this.throwIfTooLong();
    this.#partial = new Uint8Array(0);
    return rest;
  }

  #checkLength(line: Uint8Array): void {
    if (line.length > this.#limits[this.#limitName])
      this.#failure ??= createLimitError(this.#limitName, this.#limits, "a line is too long");
  }

  /** Throws an error with the code `limit` when a line was too long. */
  throwIfTooLong(): void {
    if (this.#failure) throw this.#failure;
  }
}

/** Reads the lines of a source as they arrive. A final line without a line end is included unless empty. */
export async function* readLines<Name extends string>(
  source: ByteSource,
  limits: LimitValuesByName<Name>,
  limitName: Name,
): AsyncGenerator<Uint8Array> {
  const splitter = new LineSplitter(limits, limitName);
  let lines: Uint8Array[] = [];
  for (;;) {
    const state = await source.readChunks((bytes) => {
      lines = splitter.push(bytes);
      return lines.length === 0;
    });
    yield* lines;
    lines = [];
    splitter.throwIfTooLong();
    if (state === "end") break;
  }
  const rest = splitter.takeLastLine();
  if (rest.length > 0) yield rest;
}

/** The result of one push: the completed line, and the number of bytes used. */
export interface LineScanResult {
  /** The completed line, one character per byte, without CR LF or LF; `undefined` until its end has arrived. */
  readonly line: string | undefined;
  readonly usedBytes: number;
}

/** Scans chunks of any size for one line at a time. The scanner does not store the bytes after the end of the line. */
export class LineScanner<Name extends string = string> {
  readonly #limits: LimitValuesByName<Name>;
  readonly #limitName: Name;
  #partial = "";

  constructor(limits: LimitValuesByName<Name>, limitName: Name) {
    this.#limits = limits;
    this.#limitName = limitName;
  }

  /** The received part of an incomplete line. */
  get partialLine(): string {
    return this.#partial;
  }

  /** Scans bytes up to the end of the next line. Throws an error with the code `limit` for a line that is too long. */
  push(bytes: Uint8Array): LineScanResult {
    const end = bytes.indexOf(LF);
    const piece = end < 0 ? bytes : bytes.subarray(0, end);
    const limit = this.#limits[this.#limitName];
    // A CR at the end of the bytes may belong to the line end CR LF.
    if (this.#partial.length + piece.length > limit + 1) throw this.#tooLong();
    this.#partial += bytesToLatin1(piece);
    if (end < 0) {
      if (this.#partial.length > limit && !this.#partial.endsWith("\r")) throw this.#tooLong();
      return { line: undefined, usedBytes: bytes.length };
    }
    const line = this.#partial.endsWith("\r") ? this.#partial.slice(0, -1) : this.#partial;
    this.#partial = "";
    if (line.length > limit) throw this.#tooLong();
    return { line, usedBytes: end + 1 };
  }

  #tooLong(): AccessError {
    return createLimitError(this.#limitName, this.#limits, "a line is too long");
  }
}

/**
 * Reads the next line, one character per byte. The bytes after the line stay in the reader. Returns `undefined` when
 * the connection has ended. Throws an error with the code `limit` for a line that is too long, and `incomplete` for a
 * last line without a line end.
 */
export async function readLine<Name extends string>(
  reader: Pick<SocketReader, "readChunks" | "unread">,
  limits: LimitValuesByName<Name>,
  limitName: Name,
): Promise<string | undefined> {
  const scanner = new LineScanner(limits, limitName);
  let line: string | undefined;
  const state = await reader.readChunks((bytes) => {
    const scanned = scanner.push(bytes);
    line = scanned.line;
    if (line !== undefined) reader.unread(bytes.subarray(scanned.usedBytes));
    return line === undefined;
  });
  if (line === undefined && state === "end" && scanner.partialLine !== "")
    throw new AccessError("incomplete", "the connection ended in the middle of a line");
  return line;
}
