import { html, type Html } from "../html.ts";
import { explanationOf, reasonOf } from "../status.ts";
import { bottom, type Frame, top } from "./layout.ts";

/** A failure, with the protocol's own words where there are any. */
export function failurePage(
  error: unknown,
  status: number,
  frame: Omit<Frame, "title">,
  details: Html,
): Html {
  return html`${top({ ...frame, title: reasonOf(status) })}
    <p class="failure" role="alert">${explanationOf(error)}</p>
    ${bottom(details)}`;
}

/** What is said when something fails in the middle of a page that has begun. */
export function brokenOff(error: unknown): Html {
  return html` <p class="failure" role="alert">This is not all: ${explanationOf(error)}</p>`;
}
