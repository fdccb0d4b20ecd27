import { getPageTextForError, getErrorPageTitle } from "../http/errors.ts";
import { html, type Html } from "./html.ts";

/** The title and the links of a page, which are shown around the body of the page. */
export interface PageLayoutOptions {
  readonly title: string;
  /** The URL that is shown in the form at the top of the page. */
  readonly url?: string | undefined;
  readonly breadcrumbs?: readonly PageLink[] | undefined;
  /** The links to other views of the resource, as in "view raw". */
  readonly otherViewLinks?: readonly PageLink[] | undefined;
  /** The links to related resources, such as the newsgroups of an article. */
  readonly relatedLinks?: readonly PageLink[] | undefined;
  /** Returns the target of a link to a path of the gateway, as in `LinkBuilder.formatGatewayHref`. */
  readonly formatGatewayHref: (path: string) => string;
}

export interface PageLink {
  readonly text: string;
  /**
   * The href of the link. `href` is undefined for the page itself, and for a URL that the page shows without a link.
   */
  readonly href?: string | undefined;
}

/**
 * Returns the markup that precedes the body of a page. The gateway sends the top of a page before the body of the page
 * is complete.
 */
export function renderPageTop({
  title,
  url,
  breadcrumbs = [],
  otherViewLinks = [],
  relatedLinks = [],
  formatGatewayHref,
}: PageLayoutOptions): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${formatGatewayHref("/~style.css")}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
${renderUrlForm(url ?? "", formatGatewayHref)}
${renderBreadcrumbs(breadcrumbs)}
</header>
<main id="content">
<h1>${title}</h1>
${renderLinkList(otherViewLinks)}${renderLinkList(relatedLinks)}
`;
}

/** Returns the markup that follows the body of a page. */
export function renderPageBottom(details: Html): Html {
  return html`
${details}
</main>
<footer>Anyscheme gateway. The gateway does not run scripts in the content of servers.</footer>
</body>
</html>
`;
}

function renderUrlForm(url: string, formatGatewayHref: (path: string) => string): Html {
  return html`<form action="${formatGatewayHref("/")}" method="get">
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

function renderBreadcrumbs(crumbs: readonly PageLink[]): Html {
  if (crumbs.length === 0) return html``;
  return html`<nav aria-label="Breadcrumbs">
    <ol>
      ${crumbs.map(({ text, href }, index) => {
        if (href !== undefined) return html`<li><a href="${href}">${text}</a></li>`;
        const current = index === crumbs.length - 1 ? html` aria-current="page"` : html``;
        return html`<li><span${current}>${text}</span></li>`;
      })}
    </ol>
  </nav>`;
}

function renderLinkList(views: readonly PageLink[]): Html {
  if (views.length === 0) return html``;
  return html`<p class="soft">
    ${views.map(({ text, href }, index) => html`${index > 0 ? " · " : ""}<a href="${href}">${text}</a>`)}
  </p> `;
}

/** Returns the start page of the gateway: a form for a URL, and the list of schemes. */
export function renderHomePage(
  schemes: readonly string[],
  formatGatewayHref: (path: string) => string,
): Html {
  return html`${renderPageTop({ title: "Open a URL", formatGatewayHref })}
    <p>
      Enter a URL of one of these schemes:
      ${schemes.map((name, index) => html`${index > 0 ? ", " : ""}<code>${name}</code>`)}.
    </p>
    <p class="soft">
      This gateway connects only to servers that its policy allows. It shows no URL with a user name or password.
    </p>
    ${renderPageBottom(html``)}`;
}

export function renderErrorPage(
  error: unknown,
  status: number,
  frame: Omit<PageLayoutOptions, "title">,
  details: Html,
): Html {
  return html`${renderPageTop({ ...frame, title: getErrorPageTitle(status) })}
    <p class="failure" role="alert">${getPageTextForError(error)}</p>
    ${renderPageBottom(details)}`;
}

/** Returns the notice that a page is incomplete, for a failure after a part of the page has been sent. */
export function renderIncompletePageNotice(error: unknown): Html {
  return html` <p class="failure" role="alert">The page is incomplete: ${getPageTextForError(error)}</p>`;
}

/** The style sheet of every page, with light and dark colors. */
export const STYLE_SHEET = `:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--line:#d0d7de;--link:#0550ae;--seen:#6639ba;--panel:#f6f8fa;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--line:#30363d;--link:#79c0ff;--seen:#d2a8ff;--panel:#161b22;--bad:#ff9492}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}a:visited{color:var(--seen)}
a:focus-visible,input:focus-visible,button:focus-visible,select:focus-visible,textarea:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
header,main,footer{max-width:70rem;margin:0 auto;padding:.75rem 1rem}
header{border-bottom:1px solid var(--line)}footer{border-top:1px solid var(--line);color:var(--soft)}
.skip{position:absolute;left:-100vw}.skip:focus{position:static}
h1{font-size:1.35rem;line-height:1.3;margin:.5rem 0}
nav ol{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem;margin:0;padding:0}
nav li+li::before{content:"/";color:var(--soft);margin-right:.25rem}
form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:.5rem 0}
form.stack{flex-direction:column;align-items:stretch;max-width:40rem}
label{display:block;color:var(--soft)}.grow{flex:1 1 14rem}
input[type=text],input[type=search],input[type=password],select,textarea{width:100%;font:inherit;padding:.4rem .5rem;border:1px solid var(--soft);border-radius:.3rem;background:var(--paper);color:var(--ink)}
button{font:inherit;padding:.4rem .9rem;border:1px solid var(--soft);border-radius:.3rem;background:var(--panel);color:var(--ink);cursor:pointer}
pre,.info,code{font-family:ui-monospace,monospace;white-space:pre-wrap;margin:0}
.plain{white-space:pre-wrap;font-size:.95rem}
ul.menu,ul.thread{list-style:none;margin:0;padding:0}ul.thread ul{list-style:none;padding-left:1.25rem;border-left:1px solid var(--line)}
ul.menu li{display:flex;gap:.75rem;padding:.1rem 0}ul.menu .kind{flex:0 0 4.5rem;color:var(--soft)}
ul.menu form{margin:0 0 .4rem;flex:1 1 auto}ul.thread li{padding:.15rem 0}
.soft{color:var(--soft)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th[aria-sort=ascending] a::after{content:" \\2191"}th[aria-sort=descending] a::after{content:" \\2193"}th:first-child{width:60%}th.kind,td.kind,td.when{white-space:nowrap}.scroll{overflow-x:auto}
details{margin:1rem 0;background:var(--panel);border:1px solid var(--line);border-radius:.3rem;padding:.5rem .75rem}summary{cursor:pointer}
details ol{padding-left:1.5rem}
.failure{color:var(--bad)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{color:var(--soft)}dd{margin:0}
@media (max-width:30rem){th.when,td.when{display:none}ul.menu .kind{flex-basis:3.5rem}ul.menu .kind:empty{display:none}ul.menu li{gap:.4rem}header,main,footer{padding:.5rem .75rem}dl{grid-template-columns:1fr}}
`;
