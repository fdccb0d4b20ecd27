import { html, type Html } from "../html/html.ts";
import { pageBottom, pageTop } from "../html/layout.ts";

/** Returns the start page: the form for a URL, and the list of schemes. */
export function homePage(schemes: readonly string[], own: (path: string) => string): Html {
  return html`${pageTop({ title: "Open a URL", gatewayHref: own })}
    <p>
      Enter a URL of one of these schemes:
      ${schemes.map((name, index) => html`${index > 0 ? ", " : ""}<code>${name}</code>`)}.
    </p>
    <p class="soft">
      This gateway connects only to servers that its policy allows. It shows no URL with a user name or password.
    </p>
    ${pageBottom(html``)}`;
}
