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
  /** The latest possible end of the authority and the path: the "?" of an http URL, the "#", or the end of the text. */
  readonly limit: number;
}

// The text has been checked: it has at most one "@", which ends the login.
const components = /^(?:([^:@]*)(?::([^@]*))?@)?(\[[^\]]*\]|[^:]*)(?::(.+))?/;

/**
 * Splits `<user>:<password>@<host>:<port>` into its components. The authority begins at `start`, and ends at the next
 * "/" or at `limit`. The text has been checked. RFC 1738 §3.1.
 */
export function splitAuthority(text: string, start: number, limit: number): AuthorityComponents {
  const slash = text.indexOf("/", start);
  let end = slash < 0 || slash > limit ? limit : slash;
  if (start < 0) end = start;
  if (text.lastIndexOf("@", end) >= start || text[start] === "[") {
    const [, user, password, host = "", port] = components.exec(text.slice(start, end)) ?? [];
    return { user, password, host, port, start, end, limit };
  }
  // Most authorities have no login. Parsing and reading an http URL takes 0.4 µs with this branch, and 0.9 µs with the
  // expression alone (Node 24, `pnpm bench syntax`).
  const colon = text.indexOf(":", start);
  const hostEnd = colon < 0 || colon > end ? end : colon;
  const port = hostEnd + 1 < end ? text.slice(hostEnd + 1, end) : undefined;
  return { user: undefined, password: undefined, host: text.slice(start, hostEnd), port, start, end, limit };
}
