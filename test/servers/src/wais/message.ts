import { decodeText, encodeText } from "./text-encoding.ts";

/** A message taken off the wire. */
export interface Message {
  /** The 25 bytes before the body, of which an answer repeats most. */
  readonly header: string;
  /** The body, its encoding taken off. */
  readonly body: Buffer;
}

const headerBytes = 25;

/** Requests are small; one that announces more is no request. */
const maxBodyBytes = 1_000_000;

/** Takes bytes in any portions and gives messages. */
export interface MessageSplitter {
  /** The messages that are complete now. */
  push(bytes: Buffer): Message[];
  /** True once there was something that is no message; nothing more comes then. */
  readonly broken: boolean;
}

export function createMessageSplitter(): MessageSplitter {
  let rest = Buffer.alloc(0);
  let broken = false;
  return {
    get broken() {
      return broken;
    },
    push(bytes) {
      const messages: Message[] = [];
      rest = Buffer.concat([rest, bytes]);
      while (!broken && rest.length >= headerBytes) {
        const header = rest.toString("latin1", 0, headerBytes);
        const length = Number(header.slice(0, 10));
        // A version that is larger than "2" is none that this server knows.
        broken = !/^\d{10}z[0-2].{10} [ h].$/is.test(header) || length > maxBodyBytes;
        if (broken || rest.length < headerBytes + length) break;
        const body = rest.subarray(headerBytes, headerBytes + length);
        messages.push({ header, body: isEncoded(header) ? decodeText(body) : body });
        rest = rest.subarray(headerBytes + length);
      }
      return messages;
    },
  };
}

/** The answer to a message: type, version, server name and encoding are those of the request. */
export function answerTo({ header }: Message, body: Buffer): Buffer {
  const sent = isEncoded(header) ? encodeText(body) : body;
  const length = String(sent.length).padStart(10, "0");
  return Buffer.concat([Buffer.from(`${length}${header.slice(10, 24)}0`, "latin1"), sent]);
}

/** Version 1 of the protocol has no type block. */
export function isFirstVersion({ header }: Message): boolean {
  return header.charAt(11) === "1";
}

function isEncoded(header: string): boolean {
  return header.charAt(23).toLowerCase() === "h";
}
