import type { Entry } from "@anyscheme/core";
import { html, type Html } from "../html.ts";
import type { Links } from "../links.ts";

/** One line of a menu: a label, a link, a search form, or words. */
export function menuLine(entry: Entry, index: number, links: Links): Html {
  const { name, url, kind } = entry;
  const href = url && links.to(url);
  if (!url || href === undefined)
    return html`<li><span class="kind"></span><span class="info">${name === "" ? " " : name}</span></li>
`;
  if (kind === "search")
    return html`<li><span class="kind">search</span> ${searchForm(url.href, name, `q${index}`, links)}</li>
`;
  const score =
    "score" in entry && typeof entry.score === "number"
      ? html` <span class="soft">score ${entry.score}</span>`
      : html``;
  return html`<li>
    <span class="kind">${labelOf(kind, url.scheme)}</span>
    <span><a href="${href}">${name === "" ? url.href : name}</a>${score}</span>
  </li>
`;
}

/** A form that asks for words and leads to their search. */
export function searchForm(url: string, label: string, id: string, links: Links): Html {
  return html`<form action="${links.own("/~search")}" method="get">
    <input type="hidden" name="url" value="${url}" />
    <div class="grow"><label for="${id}">${label}</label><input type="search" id="${id}" name="q" /></div>
    <button type="submit">Search</button>
  </form>`;
}

function labelOf(kind: string, scheme: string): string {
  return kind === "unknown" ? scheme : kind;
}
