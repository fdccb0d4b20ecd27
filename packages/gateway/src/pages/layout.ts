import { html, type Html } from "../html.ts";

/** What stands around every page. */
export interface Frame {
  readonly title: string;
  /** The URL being shown, as RFC 1738 writes it; the form at the top holds it. */
  readonly url?: string | undefined;
  readonly crumbs?: readonly Crumb[] | undefined;
  /** Other views of the same, as in "view raw". */
  readonly views?: readonly Crumb[] | undefined;
  /** What it belongs to. */
  readonly related?: readonly Crumb[] | undefined;
  /** The path of something of the gateway itself. */
  readonly own: (path: string) => string;
}

export interface Crumb {
  readonly text: string;
  /** Absent for the page itself. */
  readonly href?: string | undefined;
}

/** All that comes before the content, so that it can be sent before the content is there. */
export function top({ title, url, crumbs = [], views = [], related = [], own }: Frame): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${own("/~style.css")}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
${opener(url ?? "", own)}
${trail(crumbs)}
</header>
<main id="content">
<h1>${title}</h1>
${viewList(views)}${viewList(related)}
`;
}

/** All that comes after the content. */
export function bottom(details: Html): Html {
  return html`
${details}
</main>
<footer>Shown by Anyscheme. What a server sends is shown as it came; nothing of it is run.</footer>
</body>
</html>
`;
}

/** RFC 1738: any URL; it needs no script. */
function opener(url: string, own: (path: string) => string): Html {
  return html`<form action="${own("/")}" method="get">
    <div class="grow">
      <label for="url">URL</label>
      <input
        type="text"
        id="url"
        name="url"
        value="${url}"
        size="60"
        spellcheck="false"
        autocapitalize="none"
        autocomplete="off"
      />
    </div>
    <button type="submit">Go</button>
  </form>`;
}

function trail(crumbs: readonly Crumb[]): Html {
  if (crumbs.length === 0) return html``;
  return html`<nav aria-label="Where this is">
    <ol>
      ${crumbs.map(({ text, href }) =>
        href === undefined
          ? html`<li><span aria-current="page">${text}</span></li>`
          : html`<li><a href="${href}">${text}</a></li>`,
      )}
    </ol>
  </nav>`;
}

function viewList(views: readonly Crumb[]): Html {
  if (views.length === 0) return html``;
  return html`<p class="soft">
    ${views.map(({ text, href }, index) => html`${index > 0 ? " · " : ""}<a href="${href}">${text}</a>`)}
  </p> `;
}
