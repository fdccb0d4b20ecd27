import type { TraceEvent } from "@anyscheme/core";

const PREFIXES: Readonly<Partial<Record<TraceEvent["action"], string>>> = { send: ">", receive: "<" };

/** An event as lines of a conversation: `>` was sent, `<` was received, `*` is everything else. */
export function formatTraceEvent({ action, text }: TraceEvent): string[] {
  const mark = PREFIXES[action];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => (mark === undefined ? `* ${action} ${line}` : `${mark} ${line}`));
}
