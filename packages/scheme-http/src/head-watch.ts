import { limitReached, type Limits } from "@anyscheme/core";

const LF = 0x0a;

// status-line = HTTP-version SP status-code SP [ reason-phrase ]            RFC 9112 §4
const statusLine = /^HTTP\/(\d\.\d) (\d{3})(?: (.*))?$/;

/** The status line of a response. */
export interface StatusLine {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
}

/**
 * Looks at the octets of the response heads on their way to the parser: it bounds what the parser does not (blank lines, status
 * lines, header lines, interim responses) and keeps the final status line, of which the parser drops the version. It judges
 * nothing else; what is no HTTP is the parser's to refuse.
 */
export class HeadWatch {
  readonly #limits: Limits;
  #statusLine: StatusLine | undefined;
  #line = "";
  #octets = 0;
  #lines = 0;
  #interim = 0;
  #over = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The status line of the final response, once it has arrived. */
  get statusLine(): StatusLine | undefined {
    return this.#statusLine;
  }

  /** Throws `limit`. */
  push(octets: Uint8Array): void {
    for (let start = 0; start < octets.length && !this.#over;) {
      const lineFeed = octets.indexOf(LF, start);
      const end = lineFeed < 0 ? octets.length : lineFeed + 1;
      this.#count(end - start);
      this.#line += Buffer.from(octets.buffer, octets.byteOffset + start, end - start).toString("latin1");
      if (lineFeed >= 0) this.#endLine();
      start = end;
    }
  }

  #count(octets: number): void {
    this.#octets += octets;
    if (this.#octets <= this.#limits.maxHeaderBytes) return;
    throw limitReached("maxHeaderBytes", this.#limits, "the head of the response is too long");
  }

  #endLine(): void {
    const line = this.#line.replace(/\r?\n$/, "");
    this.#line = "";
    if (!this.#statusLine) this.#readStatusLine(line);
    else if (line === "") this.#endHead(this.#statusLine);
    else if (++this.#lines > this.#limits.maxHeaderLines) {
      throw limitReached("maxHeaderLines", this.#limits, "the response has too many header lines");
    }
  }

  // Parsers skip blank lines before a status line.
  #readStatusLine(line: string): void {
    if (line === "") return;
    const [, version, status, reason = ""] = statusLine.exec(line) ?? [];
    if (version === undefined) this.#over = true;
    else this.#statusLine = { version, status: Number(status), reason };
  }

  #endHead({ status }: StatusLine): void {
    this.#over = status >= 200;
    if (this.#over) return;
    if (++this.#interim > this.#limits.maxInterimResponses) {
      throw limitReached(
        "maxInterimResponses",
        this.#limits,
        "the server sends one interim response after another",
      );
    }
    this.#statusLine = undefined;
    this.#octets = 0;
    this.#lines = 0;
  }
}
