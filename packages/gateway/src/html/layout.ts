import { html, type Html } from "./html.ts";

/** The parts of a page around its body. */
export interface PageFrame {
  readonly title: string;
  /** The URL in the form at the top. */
  readonly url?: string | undefined;
  readonly breadcrumbs?: readonly Link[] | undefined;
  /** Other views of the same resource, as in "view raw". */
  readonly views?: readonly Link[] | undefined;
  /** Resources that this one belongs to, as the newsgroups of an article. */
  readonly related?: readonly Link[] | undefined;
  /** See `Links.gatewayHref`. */
  readonly gatewayHref: (path: string) => string;
}

export interface Link {
  readonly text: string;
  /** The target of the link. Absent for the page itself and for URLs without a link. */
  readonly href?: string | undefined;
}

/** Returns the markup before the body, which is sent before the body is complete. */
export function pageTop({
  title,
  url,
  breadcrumbs: crumbs = [],
  views = [],
  related = [],
  gatewayHref: own,
}: PageFrame): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${own("/~style.css")}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
${urlForm(url ?? "", own)}
${breadcrumbList(crumbs)}
</header>
<main id="content">
<h1>${title}</h1>
${linkList(views)}${linkList(related)}
`;
}

/** Returns the markup after the body. */
export function pageBottom(details: Html): Html {
  return html`
${details}
</main>
<footer>Anyscheme gateway. Scripts in the content of servers are not run.</footer>
</body>
</html>
`;
}

function urlForm(url: string, own: (path: string) => string): Html {
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

function breadcrumbList(crumbs: readonly Link[]): Html {
  if (crumbs.length === 0) return html``;
  return html`<nav aria-label="Breadcrumbs">
    <ol>
      ${crumbs.map(({ text, href }) =>
        href === undefined
          ? html`<li><span aria-current="page">${text}</span></li>`
          : html`<li><a href="${href}">${text}</a></li>`,
      )}
    </ol>
  </nav>`;
}

function linkList(views: readonly Link[]): Html {
  if (views.length === 0) return html``;
  return html`<p class="soft">
    ${views.map(({ text, href }, index) => html`${index > 0 ? " · " : ""}<a href="${href}">${text}</a>`)}
  </p> `;
}
