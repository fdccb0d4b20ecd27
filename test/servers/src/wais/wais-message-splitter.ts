import { decodeWaisTransferEncoding, encodeWaisTransferEncoding } from "./wais-transfer-encoding.ts";

/** A WAIS message that a client has sent. */
export interface WaisMessage {
  /**
   * The 25 bytes before the body of a WAIS message. The header of a WAIS response repeats most bytes of the request's
   * header.
   */
  readonly header: string;
  /** The decoded body. */
  readonly body: Buffer;
}

const messageHeaderBytes = 25;

/**
 * The maximum length of a WAIS message's body in bytes. The server treats a WAIS message with a longer body as invalid.
 */
const maxBodyBytes = 1_000_000;

/** Splits bytes that arrive in chunks into WAIS messages. */
export interface WaisMessageSplitter {
  /** Adds received bytes and returns the complete WAIS messages. */
  addBytes(bytes: Buffer): WaisMessage[];
  /** True after an invalid WAIS message. After an invalid message, `addBytes` returns no more messages. */
  readonly foundInvalidMessage: boolean;
}

export function createWaisMessageSplitter(): WaisMessageSplitter {
  let rest = Buffer.alloc(0);
  let broken = false;
  return {
    get foundInvalidMessage() {
      return broken;
    },
    addBytes(bytes) {
      const messages: WaisMessage[] = [];
      rest = Buffer.concat([rest, bytes]);
      while (!broken && rest.length >= messageHeaderBytes) {
        const header = rest.toString("latin1", 0, messageHeaderBytes);
        const length = Number(header.slice(0, 10));
        // The WAIS test server does not support versions above "2" in the message header.
        broken = !/^\d{10}z[0-2].{10} [ h].$/is.test(header) || length > maxBodyBytes;
        if (broken || rest.length < messageHeaderBytes + length) break;
        const body = rest.subarray(messageHeaderBytes, messageHeaderBytes + length);
        messages.push({ header, body: hasTextEncoding(header) ? decodeWaisTransferEncoding(body) : body });
        rest = rest.subarray(messageHeaderBytes + length);
      }
      return messages;
    },
  };
}

/**
 * Encodes the response message to a WAIS request. The header of the response has the type, version, server name and
 * encoding of the WAIS request.
 */
export function encodeResponseMessage({ header }: WaisMessage, body: Buffer): Buffer {
  const sent = hasTextEncoding(header) ? encodeWaisTransferEncoding(body) : body;
  const length = String(sent.length).padStart(10, "0");
  return Buffer.concat([Buffer.from(`${length}${header.slice(10, 24)}0`, "latin1"), sent]);
}

/** Returns true when the message has version 1 of the protocol, which has no type block. */
export function isWaisVersion1Message({ header }: WaisMessage): boolean {
  return header.charAt(11) === "1";
}

function hasTextEncoding(header: string): boolean {
  return header.charAt(23).toLowerCase() === "h";
}
