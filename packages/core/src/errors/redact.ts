import { ordinaryWords } from "./reply-words.ts";

/**
 * Masks server texts during one request. Once a secret has been sent, only ordinary words of server texts are shown.
 * Masking only the secret would confirm a server's guess.
 */
export class Redactor {
  #active = false;

  /** True when a secret has been sent to a server. */
  get active(): boolean {
    return this.#active;
  }

  /** Records that a secret is sent to a server. */
  activate(): void {
    this.#active = true;
  }

  /** Returns the displayable form of a server text. */
  readonly show = (serverText: string): string => (this.#active ? ordinaryWords(serverText) : serverText);
}
