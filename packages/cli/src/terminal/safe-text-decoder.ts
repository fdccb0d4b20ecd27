import { escapeControls } from "./character-width.ts";

/**
 * Bytes of mail and news as a terminal may have them: lines and tabs stay, whatever else would do something is shown instead.
 * The bytes are read as UTF-8.
 */
export class SafeTextDecoder {
  readonly #decoder = new TextDecoder("utf-8");
  /** A CR that may belong to a line end. */
  #held = "";

  push(bytes: Uint8Array): string {
    return this.#shown(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return `${this.#shown(this.#decoder.decode())}${escapeControls(this.#held)}`;
  }

  #shown(piece: string): string {
    const text = this.#held + piece;
    this.#held = text.endsWith("\r") ? "\r" : "";
    const certain = this.#held === "" ? text : text.slice(0, -1);
    return certain
      .split(/(\r?\n|\t)/)
      .map((part, index) => (index % 2 === 0 ? escapeControls(part) : part.replace("\r", "")))
      .join("");
  }
}
