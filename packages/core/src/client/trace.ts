import { channel } from "node:diagnostics_channel";
import { callUserCallback } from "../errors/call-user-callback.ts";
import { maskPossibleSecretsInServerText } from "../errors/mask-possible-secrets.ts";
import type { Step } from "../scheme/plan.ts";
import type { TraceEventInit } from "../scheme/context.ts";

/** An event of a request, such as bytes sent or received. Secrets are masked. */
export interface TraceEvent extends TraceEventInit {
  /** Milliseconds since the request started. */
  readonly atMs: number;
  /** The URL of the hop, with the password masked. */
  readonly url: string;
  /** The step of the plan during which the event happened. */
  readonly step: Step | undefined;
}

export type TraceListener = (event: TraceEvent) => void;

/** The channel of `node:diagnostics_channel` to which every client publishes its trace events. */
export const TRACE_CHANNEL = "anyscheme:trace";

const traceChannel = channel(TRACE_CHANNEL);

/** True when a listener or a subscriber of the channel would receive an event. */
export function hasTraceListeners(listener: TraceListener | undefined): boolean {
  return listener !== undefined || traceChannel.hasSubscribers;
}

export function emitTrace(listener: TraceListener | undefined, event: TraceEvent): void {
  if (listener) callUserCallback("trace", listener, event);
  if (traceChannel.hasSubscribers) traceChannel.publish(event);
}

/**
 * Masks server texts during one request. Once a secret has been sent, only common words of server texts are shown.
 * Masking only the secret would reveal to a server whether it has guessed the secret.
 */
export class ServerTextMasker {
  #active = false;

  /** True when the request has sent a secret to a server. */
  get isMasking(): boolean {
    return this.#active;
  }

  /** Records that a secret is sent to a server. */
  startMasking(): void {
    this.#active = true;
  }

  /** Returns a server text, masked when a secret has been sent. */
  readonly mask = (serverText: string): string =>
    this.#active ? maskPossibleSecretsInServerText(serverText) : serverText;
}
