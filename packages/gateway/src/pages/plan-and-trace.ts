import type { Plan, TraceEvent, RedirectChainEntry } from "@anyscheme/core";
import { Html, html, truncateText } from "./html.ts";

export const MAX_TRACE_EVENTS_ON_PAGE = 200;

/** The number of characters of trace texts after which the gateway stores no further events of a request. */
export const MAX_STORED_TRACE_CHARACTERS = 262_144;

/**
 * The maximum length of a URL, a step or a line of a trace event below a page. A line of a trace event can be 64 KiB
 * long.
 */
const MAX_DETAIL_LENGTH = 2_000;

/**
 * Returns the markup of the redirects, the plan and the trace of a request. Omits the redirects, the plan or the
 * trace when there are none.
 */
export function renderPlanAndTrace(
  plan: Plan | undefined,
  events: readonly TraceEvent[],
  redirectChain: readonly RedirectChainEntry[] = [],
): Html {
  const parts: Html[] = [];
  if (redirectChain.length > 0)
    parts.push(html`<p class="soft">
      Redirected from: ${redirectChain.map(({ fromUrl, reason }) => html`<code>${shorten(String(fromUrl))}</code> (${reason}) `)}
    </p>`);
  if (plan && plan.steps.length > 0)
    parts.push(html`<details>
      <summary>Plan</summary>
      <ol>
        ${plan.steps.map(
          ({ action, spec, description, onReply }) =>
            html`<li>
              ${action}: <code>${shorten(description)}</code>
              <span class="soft">${formatRfcSection(spec)}${formatReplyCondition(onReply)}</span>
            </li> `,
        )}
      </ol>
    </details>`);
  if (events.length > 0)
    parts.push(html`<details>
      <summary>Trace</summary>
      <ol>
        ${events.map(
          ({ action, text, atMs }) =>
            html`<li>${action}: <code>${renderTraceLines(text)}</code> <span class="soft">${Math.round(atMs)} ms</span></li> `,
        )}
      </ol>
    </details>`);
  return html`${parts}`;
}

/** Returns the lines of a trace event, such as the header fields of a request, with a line break between them. */
function renderTraceLines(text: string): Html[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line, index) => html`${index > 0 ? new Html("<br>") : ""}${shorten(line)}`);
}

function shorten(text: string): string {
  return truncateText(text, MAX_DETAIL_LENGTH);
}

/** Adds the section sign § to a reference such as `3.4.1` or `RFC 959 4.1`. */
function formatRfcSection(spec: string): string {
  return spec.replace(/^(RFC \d+ )?(?=\d+(?:\.\d+)*$)/, "$1§");
}

function formatReplyCondition(onReply: string | undefined): string {
  return onReply === undefined ? "" : `, if the reply begins with ${onReply}`;
}
