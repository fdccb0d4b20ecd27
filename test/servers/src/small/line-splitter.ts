/** Splits bytes that arrive in chunks into lines. */
export interface LineSplitter {
  /** Returns the complete lines, without their ends (CRLF or a bare LF). */
  push(bytes: Buffer): string[];
  /** True after a line has exceeded the limit. `push` then returns no more lines. */
  readonly overflowed: boolean;
}

/** Splits UTF-8 text into lines of at most `maxBytes` bytes. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let rest = Buffer.alloc(0);
  let overflowed = false;
  return {
    get overflowed() {
      return overflowed;
    },
    push(bytes) {
      const lines: string[] = [];
      if (overflowed) return lines;
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf("\n"); end !== -1 && end <= maxBytes; end = rest.indexOf("\n")) {
        lines.push(rest.toString("utf8", 0, end).replace(/\r$/, ""));
        rest = rest.subarray(end + 1);
      }
      overflowed = rest.length > maxBytes;
      return lines;
    },
  };
}
