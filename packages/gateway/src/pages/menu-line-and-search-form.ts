import type { DirectoryEntry } from "@anyscheme/core";
import { html, type Html } from "./html.ts";
import type { LinkBuilder } from "./link-builder.ts";
import { renderEntryFault } from "./directory-table.ts";

/** Returns the markup of a Gopher menu line: a link, a search form, or plain text. */
export function renderMenuLine(entry: DirectoryEntry, index: number, links: LinkBuilder): Html {
  const { name, url, kind, fault } = entry;
  const href = url && links.formatUrlHref(url);
  if (!url || href === undefined)
    return html`<li><span class="kind"></span><span class="info">${name === "" ? " " : name}${renderEntryFault(fault)}</span></li>
`;
  if (kind === "search")
    return html`<li><span class="kind">search</span> ${renderSearchForm(url.href, name, `q${index}`, links)}</li>
`;
  const score =
    "score" in entry && typeof entry.score === "number"
      ? html` <span class="soft">score ${entry.score}</span>`
      : html``;
  return html`<li>
    <span class="kind">${kind === "unknown" ? url.scheme : kind}</span>
    <span><a href="${href}">${name === "" ? url.href : name}</a>${score}</span>
  </li>
`;
}

export function renderSearchForm(url: string, label: string, id: string, links: LinkBuilder): Html {
  return html`<form action="${links.formatGatewayHref("/~search")}" method="get">
    <input type="hidden" name="url" value="${url}" />
    <div class="grow"><label for="${id}">${label}</label><input type="search" id="${id}" name="q" /></div>
    <button type="submit">Search</button>
  </form>`;
}
