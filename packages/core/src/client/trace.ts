import type { Step, TraceMessage } from "../scheme/scheme.ts";

/** One line of a transcript: what happened, in the order in which it happened. Secrets are masked. */
export interface TraceEvent extends TraceMessage {
  /** Milliseconds since the access began. */
  readonly atMs: number;
  /** The URL being accessed, its password masked. */
  readonly url: string;
  /** The step of the plan that was being performed. */
  readonly step: Step | undefined;
}

export type TraceListener = (event: TraceEvent) => void;

/** The channel of `node:diagnostics_channel` on which every transcript event of every client is published. */
export const TRACE_CHANNEL = "anyscheme:trace";
