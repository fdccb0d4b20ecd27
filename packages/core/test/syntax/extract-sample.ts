import {
  checkAuthority,
  defineSyntax,
  type Extracted,
  genericSyntax,
  type Found,
  InternetUrl,
  loginSource,
  type Syntax,
  ucharAnd,
  type UrlReader,
} from "../../src/syntax/index.ts";

const names = ["ftp", "http", "https", "gopher"] as const;
const pathCharacters = ucharAnd("/;?:@&=");

class HostUrl extends InternetUrl {
  constructor(text: string, found: Found) {
    super(text, found, text.indexOf(":") + 3);
  }
}

/** Some schemes with a host and a path: enough to refuse what is no URL. */
const hostSyntax: Syntax<HostUrl> = defineSyntax<HostUrl, object>({
  schemes: names,
  schemepart: `//${loginSource}(?:/${pathCharacters.source})?`,
  diagnose(reading) {
    const end = checkAuthority(reading, { login: true });
    return end !== undefined && reading.check(end, reading.end, pathCharacters);
  },
  url: (text, found) => new HostUrl(text, found),
  write: () => "",
});

export const syntaxes: readonly UrlReader[] = [
  hostSyntax,
  genericSyntax({ schemes: ["mailto", "news", "x-note", "z39.50s"] }),
];

/** A found URL in short: a bare one as its text, a wrapped one in its wrapper, a second reading after "or". */
export function short({ text, wrapped, alternative }: Extracted): string {
  return `${alternative ? "or " : ""}${wrapped ? `<URL:${text}>` : text}`;
}
