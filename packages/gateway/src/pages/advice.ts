import type { MailboxResource, ServiceResource } from "@anyscheme/core";
import { html, type Html } from "../html.ts";

/** What is no data is described. RFC 1738 §3.8: the login is advice to the user. */
export function serviceBody({ url, host, port, user }: ServiceResource): Html {
  return html`<p>
      An interactive service, which a program on your own machine can open:
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

/** RFC 1738 §3.5: there is nothing to read in a mailbox; one can write to it. */
export function mailboxBody({ url, address, headers }: MailboxResource): Html {
  return html`<p>A mailbox, which your mail program can write to: <a href="${url.href}">${address}</a></p>
    <dl>
      ${headers.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl> `;
}
