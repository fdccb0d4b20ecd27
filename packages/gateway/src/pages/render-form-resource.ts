import type { FormField, FormResource } from "@anyscheme/core";
import { Html, html } from "./html.ts";
import { GatewayHttpError } from "../http/errors.ts";
import type { LinkBuilder } from "./link-builder.ts";

/** The maximum length of the markup of a form. The gateway accepts only 64 KiB of posted values. */
const MAX_FORM_MARKUP = 2_097_152;

/**
 * Yields the markup of a server's form as an HTML form, which the browser posts to this gateway. Throws
 * `GatewayHttpError` for a form that is too long, because an incomplete form must not be sent.
 */
export function* renderFormResource(resource: FormResource, links: LinkBuilder): Generator<Html> {
  const { markup: action } = html`${links.formatGatewayHref("/~form")}`;
  yield new Html(`<form class="stack" action="${action}" method="post" accept-charset="utf-8">`);
  yield html`<input type="hidden" name="url" value="${resource.url.href}" />`;
  let markupLength = 0;
  for (const [index, field] of resource.fields.entries()) {
    const row = renderFormField(field, `f${index}`);
    markupLength += row.markup.length;
    if (markupLength > MAX_FORM_MARKUP) {
      yield new Html("</form>\n");
      throw new GatewayHttpError(
        502,
        `The form is longer than ${MAX_FORM_MARKUP} characters, the limit of a page.`,
      );
    }
    yield row;
  }
  yield new Html(`<div><button type="submit">Send</button></div>\n</form>\n`);
}

function renderFormField({ label, kind, choices = [], initialValue = "" }: FormField, id: string): Html {
  if (kind === "note") return html`<p>${label}</p> `;
  if (kind === "switch") {
    const checked = initialValue === true ? html` checked` : html``;
    return html`<div><label><input type="checkbox" name="${id}" value="1"${checked}> ${label}</label></div>
`;
  }
  return html`<div><label for="${id}">${label}</label>${renderInput(kind, id, choices, String(initialValue))}</div> `;
}

function renderInput(kind: FormField["kind"], id: string, choices: readonly string[], initial: string): Html {
  switch (kind) {
    case "choice":
      return html`<select id="${id}" name="${id}">
        ${choices.map(
          (choice) => html`<option${choice === initial ? html` selected` : html``}>${choice}</option>`,
        )}
      </select>`;
    case "long-text":
    case "file":
      return html`<textarea id="${id}" name="${id}" rows="6">
${initial}</textarea>`;
    case "password":
      return html`<input type="password" id="${id}" name="${id}" autocomplete="off" />`;
    default:
      return html`<input type="text" id="${id}" name="${id}" value="${initial}" />`;
  }
}
