import {
  checkAuthority,
  defineSyntax,
  deviation,
  type Found,
  hostportSource,
  InternetUrl,
  type Reading,
  type Syntax,
  UrlSyntaxError,
  writeAuthority,
} from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
const groupSource = "[A-Za-z][A-Za-z0-9.+_-]*";
const wholeGroup = new RegExp(`^${groupSource}$`);

// RFC 1738 §3.7: "If :<port> is omitted, the port defaults to 119."
const DEFAULT_PORT = 119;

/** `nntp://<host>:<port>/<newsgroup-name>/<article-number>`. RFC 1738 §3.7. */
export class NntpUrl extends InternetUrl<"nntp"> {
  constructor(text: string, found: Found) {
    super(text, found, "nntp://".length);
  }

  /** The name of the group as written, without escapes; `undefined` only in `nntp://host`, which tolerant mode reads. */
  get group(): string | undefined {
    return this.pathText?.split("/", 1)[0] || undefined;
  }

  /** The digits of the article number as written; `undefined` without one, which §5 allows and which means the group. */
  get article(): string | undefined {
    return this.pathText?.split("/", 2)[1] || undefined;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, host, port, group, article } = this;
    return { scheme, host, port, group, article };
  }
}

/** What `build` takes. */
export interface NntpParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  readonly group?: string | undefined;
  readonly article?: number | string | undefined;
}

/** `nntpurl = "nntp://" hostport "/" group [ "/" digits ]`. RFC 1738 §5. */
export const nntpSyntax: Syntax<NntpUrl, NntpParts> = defineSyntax<NntpUrl, NntpParts>({
  schemes: ["nntp"],
  defaultPort: DEFAULT_PORT,
  schemepart: `//${hostportSource}/${groupSource}(?:/\\d+)?`,
  diagnose(reading) {
    const slash = checkAuthority(reading, { login: false });
    return slash !== undefined && checkPath(reading, slash);
  },
  url: (text, found) => new NntpUrl(text, found),
  write({ host, port, group = "", article }, escape) {
    if (group !== "" && !wholeGroup.test(group)) {
      throw new UrlSyntaxError(deviation("bad-group", 0, 0, GROUP_ADVICE));
    }
    const number = article === undefined ? "" : `/${article}`;
    return `nntp:${writeAuthority({ host, port }, escape)}/${group}${number}`;
  },
});

const GROUP_ADVICE = "name one group: a letter, then letters, digits, '-', '.', '+' and '_'";

function checkPath(reading: Reading, slash: number): boolean {
  const { text, end } = reading;
  if (slash === end) return reading.depart("missing-slash", slash, 0, 'write "/" and the name of a group');
  if (slash + 1 === end) return reading.depart("trailing-slash", slash, 1, "name a group behind it");
  const mark = text.indexOf("/", slash + 1);
  const groupEnd = mark < 0 || mark > end ? end : mark;
  const group = text.slice(slash + 1, groupEnd);
  if (!wholeGroup.test(group)) {
    const stray = /[^A-Za-z0-9.+_-]/.exec(group);
    const at = slash + 1 + (stray?.index ?? 0);
    return reading.refuse("bad-group", at, stray ? 1 : group.length, GROUP_ADVICE);
  }
  return groupEnd === end || checkNumber(reading, mark);
}

function checkNumber(reading: Reading, slash: number): boolean {
  const number = reading.text.slice(slash + 1, reading.end);
  if (number === "") return reading.depart("trailing-slash", slash, 1, "leave it out");
  const stray = number.search(/\D/);
  if (stray < 0) return true;
  return reading.refuse("bad-article-number", slash + 1 + stray, 1, "write decimal digits only");
}
