import type { RedirectEntry, Plan, TraceEvent } from "@anyscheme/core";
import { html, type Html } from "../html.ts";

/** Of a longer transcript, only so many lines are shown. */
export const MAX_EVENTS = 200;

/** The plan of the access and what happened, for readers who want to know. */
export function detailsOf(
  plan: Plan | undefined,
  events: readonly TraceEvent[],
  via: readonly RedirectEntry[] = [],
): Html {
  const way = html`<p class="soft">
    Led here: ${via.map(({ url, reason }) => html`<code>${String(url)}</code> (${reason}) `)}
  </p>`;
  const steps = plan?.steps ?? [];
  const planned = html`<details>
    <summary>The plan</summary>
    <ol>
      ${steps.map(
        ({ action, spec: section, description: text, onReply: when }) =>
          html`<li>
            ${action}: <code>${text}</code>
            <span class="soft">${sectionOf(section)}${conditionOf(when)}</span>
          </li> `,
      )}
    </ol>
  </details>`;
  const happened = html`<details>
    <summary>The transcript</summary>
    <ol>
      ${events.map(
        ({ action, text, atMs }) =>
          html`<li>${action}: <code>${text}</code> <span class="soft">${Math.round(atMs)} ms</span></li> `,
      )}
    </ol>
  </details>`;
  return html`${via.length > 0 ? [way] : []}${steps.length > 0 ? [planned] : []}${events.length > 0 ? [happened] : []}`;
}

/** The section of RFC 1738, where no other document is named. */
function sectionOf(section: string): string {
  return section.replace(/^(RFC \d+ )?(?=\d+(?:\.\d+)*$)/, "$1§");
}

function conditionOf(when: string | undefined): string {
  return when === undefined ? "" : `, if the reply begins with ${when}`;
}
