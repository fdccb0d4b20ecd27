import type { ClientLimits, Scheme } from "@anyscheme/core";
import { type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import type { UrlDereferencer } from "./dereference-and-drain.ts";

/** A server that listens on a port until it is stopped. */
export interface StoppableServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A test case for a limit on the number of bytes, lines, entries or redirects. */
export interface LimitTestCase {
  readonly limitName: keyof ClientLimits;
  /** The value of the tested client limit. */
  readonly limitValue: number;
  readonly createScheme: () => Scheme;
  /**
   * Starts a server that sends `count` bytes, lines or entries, in one chunk or one byte at a time. `startServer` is
   * absent when the limit applies before the client connects.
   */
  readonly startServer?: (count: number, inSingleBytes: boolean) => Promise<StoppableServer>;
  readonly createUrl: (port: number, count: number) => string;
  /** Dereferences the URL and reads the resource until the client limit applies. Default: dereferences the URL only. */
  readonly dereferenceAndRead?: UrlDereferencer;
  /** Values of other client limits, which would apply before the tested limit by default. */
  readonly otherLimits?: Partial<ClientLimits>;
  readonly resolvedAddresses?: (count: number) => readonly string[];
  /** The code of the expected error when the limit is not exceeded. Default: no error. */
  readonly errorWithinLimit?: string;
}

/** Sends a text in one chunk or one byte at a time. */
export async function sendTextOrSingleBytes(
  peer: ScriptedPeer,
  text: string,
  inSingleBytes: boolean,
): Promise<void> {
  if (!inSingleBytes) return peer.send(text);
  for (const byte of text) {
    peer.send(byte);
    await new Promise(setImmediate);
  }
}

/** Starts a server that responds to the first line of the client. */
export function startRespondToFirstLineServer(
  answer: string,
  inSingleBytes: boolean,
): Promise<StoppableServer> {
  return startScriptedServer(async (peer) => {
    await peer.readLine();
    await sendTextOrSingleBytes(peer, answer, inSingleBytes);
  });
}
