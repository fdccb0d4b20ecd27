/** Splits bytes that arrive in chunks into lines. */
export interface LineSplitter {
  /** Adds received bytes and returns the complete lines without their line ends (CRLF or LF). */
  addBytes(bytes: Buffer): string[];
  /**
   * True after a line was longer than the limit. After a line that is too long, `addBytes` returns no more lines.
   */
  readonly exceededLineLimit: boolean;
}

/** Creates a splitter for UTF-8 lines of at most `maxBytes` bytes. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let rest = Buffer.alloc(0);
  let overflowed = false;
  return {
    get exceededLineLimit() {
      return overflowed;
    },
    addBytes(bytes) {
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
