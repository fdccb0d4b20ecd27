import { channel } from "node:diagnostics_channel";
import { type Transcript, TRANSCRIPT_CHANNEL, type TranscriptEvent } from "./transcript.ts";

const published = channel(TRANSCRIPT_CHANNEL);

/** Whether anybody listens: where nobody does, no event is made. */
export function isHeard(transcript: Transcript | undefined): boolean {
  return transcript !== undefined || published.hasSubscribers;
}

export function tellTranscript(transcript: Transcript | undefined, event: TranscriptEvent): void {
  transcript?.(event);
  if (published.hasSubscribers) published.publish(event);
}
