import { ordinaryWords } from "./reply-words.ts";

/**
 * Decides how texts of servers are shown during one request. After a secret was sent, only ordinary words of them are shown. Masking
 * the secret itself would confirm a server's guess.
 */
export class Redactor {
  #active = false;

  /** True when a secret has been sent to a server. */
  get active(): boolean {
    return this.#active;
  }

  /** Notes that a secret is sent to a server. */
  activate(): void {
    this.#active = true;
  }

  /** Returns the text of a server as it may be shown. */
  readonly show = (serverText: string): string => (this.#active ? ordinaryWords(serverText) : serverText);
}
