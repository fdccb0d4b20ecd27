import { html, type Html } from "../html/html.ts";
import { errorMessage, errorTitle } from "../http/errors.ts";
import { pageBottom, type PageFrame, pageTop } from "../html/layout.ts";

/** Returns the page of a failed request. */
export function errorPage(
  error: unknown,
  status: number,
  frame: Omit<PageFrame, "title">,
  details: Html,
): Html {
  return html`${pageTop({ ...frame, title: errorTitle(status) })}
    <p class="failure" role="alert">${errorMessage(error)}</p>
    ${pageBottom(details)}`;
}

/** Returns the notice for a failure after the page has begun. */
export function truncationNotice(error: unknown): Html {
  return html` <p class="failure" role="alert">The page is incomplete: ${errorMessage(error)}</p>`;
}
