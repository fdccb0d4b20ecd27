import { escapeControls } from "@anyscheme/core/text";

/** Decodes UTF-8 text for a terminal. Escapes all control characters except line ends and tabs. */
export class SafeTextDecoder {
  readonly #decoder = new TextDecoder("utf-8");
  /** A CR at the end of a chunk, which may be the first half of a CRLF. */
  #pendingCr = "";

  push(bytes: Uint8Array): string {
    return this.#escape(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return `${this.#escape(this.#decoder.decode())}${escapeControls(this.#pendingCr)}`;
  }

  #escape(chunk: string): string {
    const text = this.#pendingCr + chunk;
    this.#pendingCr = text.endsWith("\r") ? "\r" : "";
    return text
      .slice(0, text.length - this.#pendingCr.length)
      .split(/(\r?\n|\t)/)
      .map((part, index) => (index % 2 === 0 ? escapeControls(part) : part))
      .join("");
  }
}
