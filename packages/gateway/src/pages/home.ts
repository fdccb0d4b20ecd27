import { html, type Html } from "../html.ts";
import { bottom, top } from "./layout.ts";

/** The first page: a form for a URL, and what may be written into it. */
export function homePage(schemes: readonly string[], own: (path: string) => string): Html {
  return html`${top({ title: "Any URL", own })}
    <p>
      Type a URL of any of these schemes:
      ${schemes.map((name, index) => html`${index > 0 ? ", " : ""}<code>${name}</code>`)}.
    </p>
    <p class="soft">
      The policy of this gateway decides which servers it connects to. It shows no URL with a user name or a password.
    </p>
    ${bottom(html``)}`;
}
