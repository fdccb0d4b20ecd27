import type { Plan, TranscriptEvent } from "@anyscheme/core";
import { html, type Html } from "../html.ts";

/** Of a longer transcript, only so many lines are shown. */
export const MAX_EVENTS = 200;

/** The plan of the access and what happened, for readers who want to know. */
export function detailsOf(plan: Plan | undefined, events: readonly TranscriptEvent[]): Html {
  const steps = plan?.steps ?? [];
  const planned = html`<details>
    <summary>The plan</summary>
    <ol>
      ${steps.map(
        ({ action, section, text, when }) =>
          html`<li>
            ${action}: <code>${text}</code>
            <span class="soft"
              >§${section}${when === undefined ? "" : `, if the reply begins with ${when}`}</span
            >
          </li>`,
      )}
    </ol>
  </details>`;
  const happened = html`<details>
    <summary>The transcript</summary>
    <ol>
      ${events.map(
        ({ action, text, atMs }) =>
          html`<li>${action}: <code>${text}</code> <span class="soft">${Math.round(atMs)} ms</span></li>`,
      )}
    </ol>
  </details>`;
  return html`${steps.length > 0 ? [planned] : []}${events.length > 0 ? [happened] : []}`;
}
