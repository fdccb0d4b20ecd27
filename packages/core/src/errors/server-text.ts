/** A server text within a message. The text may repeat a secret that the server has received. */
export class ServerText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Marks a server text in {@link MessageParts}. */
export function serverText(text: string): ServerText {
  return new ServerText(text);
}

/** A message, or its parts, some of them server texts. The parts are joined without a separator. */
export type MessageParts = string | readonly (string | ServerText)[];

/** Joins the parts of a message. `show` converts the server texts. */
export function formatMessage(
  wording: MessageParts,
  show: (serverText: string) => string = (text) => text,
): string {
  if (typeof wording === "string") return wording;
  return wording.map((part) => (typeof part === "string" ? part : show(part.text))).join("");
}
