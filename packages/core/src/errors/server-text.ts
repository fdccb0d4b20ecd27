/** Words of a server within a message of ours: what a server says may hold a secret that it was given. */
export class ServerText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Marks what a server said, for a {@link MessageParts}. */
export function serverText(text: string): ServerText {
  return new ServerText(text);
}

/** A message: our own words, or parts of which some are a server's. The parts follow each other without a blank. */
export type MessageParts = string | readonly (string | ServerText)[];

/** The text of a message, with the words of servers as `show` gives them. Our own words are never changed. */
export function formatMessage(
  wording: MessageParts,
  show: (serverText: string) => string = (text) => text,
): string {
  if (typeof wording === "string") return wording;
  return wording.map((part) => (typeof part === "string" ? part : show(part.text))).join("");
}
