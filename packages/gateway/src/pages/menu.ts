import type { Entry } from "@anyscheme/core";
import { html, type Html } from "./html.ts";
import type { Links } from "./links.ts";
import { faultNote } from "./directory-table.ts";

/** Returns a line of a menu: a link, a search form, or plain text. */
export function menuLine(entry: Entry, index: number, links: Links): Html {
  const { name, url, kind, fault } = entry;
  const href = url && links.hrefTo(url);
  if (!url || href === undefined)
    return html`<li><span class="kind"></span><span class="info">${name === "" ? " " : name}${faultNote(fault)}</span></li>
`;
  if (kind === "search")
    return html`<li><span class="kind">search</span> ${searchForm(url.href, name, `q${index}`, links)}</li>
`;
  const score =
    "score" in entry && typeof entry.score === "number"
      ? html` <span class="soft">score ${entry.score}</span>`
      : html``;
  return html`<li>
    <span class="kind">${kindLabel(kind, url.scheme)}</span>
    <span><a href="${href}">${name === "" ? url.href : name}</a>${score}</span>
  </li>
`;
}

/** Returns a search form. */
export function searchForm(url: string, label: string, id: string, links: Links): Html {
  return html`<form action="${links.gatewayHref("/~search")}" method="get">
    <input type="hidden" name="url" value="${url}" />
    <div class="grow"><label for="${id}">${label}</label><input type="search" id="${id}" name="q" /></div>
    <button type="submit">Search</button>
  </form>`;
}

function kindLabel(kind: string, scheme: string): string {
  return kind === "unknown" ? scheme : kind;
}
