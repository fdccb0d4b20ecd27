import { channel } from "node:diagnostics_channel";
import { type TraceListener, TRACE_CHANNEL, type TraceEvent } from "./trace.ts";

const published = channel(TRACE_CHANNEL);

/** Whether anybody listens: where nobody does, no event is made. */
export function isHeard(transcript: TraceListener | undefined): boolean {
  return transcript !== undefined || published.hasSubscribers;
}

export function tellTranscript(transcript: TraceListener | undefined, event: TraceEvent): void {
  transcript?.(event);
  if (published.hasSubscribers) published.publish(event);
}
