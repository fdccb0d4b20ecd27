/** A text of a server within a message. It may repeat a secret that the server has received. */
export class ServerText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Marks a text of a server in {@link MessageParts}. */
export function serverText(text: string): ServerText {
  return new ServerText(text);
}

/** A message, or its parts, some of which are texts of servers. They are joined without a separator. */
export type MessageParts = string | readonly (string | ServerText)[];

/** Joins the parts of a message. `show` converts the texts of servers. */
export function formatMessage(
  wording: MessageParts,
  show: (serverText: string) => string = (text) => text,
): string {
  if (typeof wording === "string") return wording;
  return wording.map((part) => (typeof part === "string" ? part : show(part.text))).join("");
}
