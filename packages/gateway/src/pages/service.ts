import type { MailboxResource, ServiceResource } from "@anyscheme/core/plugin";
import { html, type Html } from "../html/html.ts";

/** Describes an interactive service. The login is only a suggestion for the user. RFC 1738 §3.8. */
export function serviceBody({ url, host, port, user }: ServiceResource): Html {
  return html`<p>
      This is an interactive service. A program on your own machine can open it:
      <a href="${url.href}">${url.href}</a>
    </p>
    <dl>
      <dt>Host</dt>
      <dd>${host}</dd>
      <dt>Port</dt>
      <dd>${port}</dd>
      ${
        user === undefined
          ? []
          : [
              html`<dt>Suggested user</dt>
                <dd>${user}</dd>`,
            ]
      }
    </dl> `;
}

/** Describes a mailbox, to which the user can write. RFC 1738 §3.5. */
export function mailboxBody({ url, address, headers }: MailboxResource): Html {
  return html`<p>This is a mailbox. Your mail program can write to it: <a href="${url.href}">${address}</a></p>
    <dl>
      ${headers.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl> `;
}
