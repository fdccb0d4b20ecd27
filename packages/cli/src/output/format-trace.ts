import type { TraceEvent } from "@anyscheme/core";

const PREFIXES: Readonly<Partial<Record<TraceEvent["action"], string>>> = { send: ">", receive: "<" };

/** Formats an event as lines with curl's prefixes: `>` sent, `<` received, `*` other event. */
export function formatTraceEvent({ action, text }: TraceEvent): string[] {
  const prefix = PREFIXES[action] ?? `* ${action}`;
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => `${prefix} ${line}`);
}
