import { ordinaryWords } from "./reply-words.ts";

/**
 * How the words of servers are shown during one request: as they are, until a secret of the user goes to a server; from then on in
 * ordinary words only, whatever the secret is. Masking a secret by its value would confirm a right guess to the person who chooses the words.
 */
export class Redactor {
  #active = false;

  /** Whether a secret has gone to a server. */
  get active(): boolean {
    return this.#active;
  }

  /** Notes that a secret goes to a server. */
  activate(): void {
    this.#active = true;
  }

  /** What a server said, fit to be shown. */
  readonly show = (serverText: string): string => (this.#active ? ordinaryWords(serverText) : serverText);
}
