/** The components of an authority as written. RFC 1738 §3.1. */
export interface AuthorityComponents {
  /** `""` is an empty name, `undefined` none. */
  readonly user: string | undefined;
  /** `""` is an empty password, `undefined` none. */
  readonly password: string | undefined;
  /** `""` without an authority. */
  readonly host: string;
  /** The digits; `undefined` when there are none. */
  readonly port: string | undefined;
  /** The index where the authority begins, behind its "//"; -1 without one, as the end. */
  readonly start: number;
  /** The index behind it: of the "/" before the url-path, or the end of the URL. */
  readonly end: number;
}

// A checked text: an "@" ends the login, and there is only one.
const components = /^(?:([^:@]*)(?::([^@]*))?@)?(\[[^\]]*\]|[^:]*)(?::(.+))?/;

/**
 * Takes `<user>:<password>@<host>:<port>` apart, which begins at `start` and ends at the next "/", or at `latest` if not
 * before. The text has been checked. RFC 1738 §3.1.
 */
export function splitAuthority(text: string, start: number, latest: number): AuthorityComponents {
  const slash = text.indexOf("/", start);
  let end = slash < 0 || slash > latest ? latest : slash;
  if (start < 0) end = start;
  const [, user, password, host = "", port] = components.exec(text.slice(start, end)) ?? [];
  return { user, password, host, port, start, end };
}
