import { AccessError, type ClientLimits } from "@anyscheme/core";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { ArdpExchangeStateMachine } from "../../../src/prospero/ardp/ardp-exchange-state-machine.ts";

/** The default limits of a client with the scheme prospero. */
export const DEFAULT_PROSPERO_CLIENT_LIMITS: ClientLimits = mergeDefaultLimitsOfSchemes([prospero()]);

/** Decodes hexadecimal digits. Ignores blanks. */
export const decodeHex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** Formats datagrams as hexadecimal digits, with blanks around the connection id. */
export const formatDatagramsAsHex = (datagrams: readonly Uint8Array[]): string[] =>
  datagrams.map((bytes) =>
    Buffer.from(bytes)
      .toString("hex")
      .replace(/^(.{2})(.{4})/, "$1 $2 "),
  );

/** Creates an exchange with the connection id 1234 that has sent its request. Default: one packet. */
export function createArdpStateMachineAfterRequest({
  length = 1,
  limits = {},
}: { length?: number; limits?: Partial<ClientLimits> } = {}): ArdpExchangeStateMachine {
  const exchange = new ArdpExchangeStateMachine({
    message: new Uint8Array(length),
    connectionId: 0x1234,
    limits: mergeLimits(limits, DEFAULT_PROSPERO_CLIENT_LIMITS),
    nowMs: 0,
  });
  exchange.takeDatagrams();
  return exchange;
}

/** Creates a reply packet with a packet number, a packet count, and one byte of data. */
export const createReplyPacket = (number: number, total: number, connectionId = "1234"): Buffer =>
  decodeHex(
    `07 ${connectionId} ${number.toString(16).padStart(4, "0")} ${total.toString(16).padStart(4, "0")} ${(number & 0xff).toString(16).padStart(2, "0")}`,
  );

export function takeArdpReplyAsHex(exchange: ArdpExchangeStateMachine): string {
  const chunks: Uint8Array[] = [];
  for (let bytes = exchange.takeChunk(); bytes; bytes = exchange.takeChunk()) chunks.push(bytes);
  return Buffer.concat(chunks).toString("hex");
}

export function catchAccessError(work: () => void): Partial<AccessError> {
  try {
    work();
  } catch (error) {
    if (error instanceof AccessError) return { code: error.code, limit: error.limit, message: error.message };
    throw error;
  }
  throw new Error("nothing failed");
}

/**
 * Runs an ARDP exchange with a server that never replies. Returns the times in seconds at which the exchange sends
 * packets, and the error of the exchange.
 */
export function runExchangeWithoutReplies(exchange: ArdpExchangeStateMachine): {
  sentAtSeconds: number[];
  end: Partial<AccessError>;
  endSeconds: number;
} {
  const sentAtSeconds: number[] = [];
  for (;;) {
    const nowMs = exchange.deadlineMs;
    try {
      exchange.onTimeout(nowMs);
    } catch (error) {
      const { code, limit, message } = error as AccessError;
      return { sentAtSeconds, end: { code, limit, message }, endSeconds: nowMs / 1000 };
    }
    if (exchange.takeDatagrams().length > 0) sentAtSeconds.push(nowMs / 1000);
  }
}
