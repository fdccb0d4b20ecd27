/** The components of an authority as written. RFC 1738 §3.1. */
export interface AuthorityComponents {
  /** The user name. `""` is an empty name, and `undefined` is no name. */
  readonly user: string | undefined;
  /** The password. `""` is an empty password, and `undefined` is no password. */
  readonly password: string | undefined;
  /** The host. `""` for a URL without an authority. */
  readonly host: string;
  /** The digits of the port, or `undefined` without digits. */
  readonly port: string | undefined;
  /** The index after the "//". -1 for a URL without an authority. */
  readonly start: number;
  /** The index of the "/" before the url-path, or the end of the URL. -1 without an authority. */
  readonly end: number;
}

// The text has been checked: it has at most one "@", which ends the login.
const components = /^(?:([^:@]*)(?::([^@]*))?@)?(\[[^\]]*\]|[^:]*)(?::(.+))?/;

/**
 * Splits `<user>:<password>@<host>:<port>` into its components. The authority begins at `start`, and ends at the next
 * "/" or at `latest`. The text has been checked. RFC 1738 §3.1.
 */
export function splitAuthority(text: string, start: number, latest: number): AuthorityComponents {
  const slash = text.indexOf("/", start);
  let end = slash < 0 || slash > latest ? latest : slash;
  if (start < 0) end = start;
  const [, user, password, host = "", port] = components.exec(text.slice(start, end)) ?? [];
  return { user, password, host, port, start, end };
}
