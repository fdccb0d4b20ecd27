/** Where the components of an authority lie in the text of a URL. RFC 1738 §3.1. */
export interface Places {
  /** Where the user name begins: behind the "//"; -1 for a URL without an authority. */
  readonly start: number;
  /** The index of the ":" before the password, or -1. */
  readonly passwordMark: number;
  /** Where the host begins: behind the "@", or at the start. */
  readonly hostStart: number;
  /** The index behind the host: of the ":" before the port, or the end of the authority. */
  readonly hostEnd: number;
  /** The index behind the authority: of the "/" before the url-path, or the end of the URL. */
  readonly end: number;
}

const NO_AUTHORITY: Places = { start: -1, passwordMark: -1, hostStart: -1, hostEnd: -1, end: -1 };

/**
 * Finds the components of `<user>:<password>@<host>:<port>`, which begins at `start` and ends at the next "/", or at `latest`
 * if not before. The text has been checked: an "@" within it ends the login, and there is only one. RFC 1738 §3.1.
 */
export function placesOf(text: string, start: number, latest: number): Places {
  if (start < 0) return NO_AUTHORITY;
  const end = firstBefore(latest, text.indexOf("/", start)) ?? latest;
  const at = firstBefore(end, text.indexOf("@", start));
  const hostStart = at === undefined ? start : at + 1;
  const hostFrom = text.startsWith("[", hostStart) ? text.indexOf("]", hostStart) : hostStart;
  const hostEnd = firstBefore(end, text.indexOf(":", hostFrom)) ?? end;
  const passwordMark = at === undefined ? -1 : (firstBefore(at, text.indexOf(":", start)) ?? -1);
  return { start, passwordMark, hostStart, hostEnd, end };
}

/** An index that `indexOf` gave, if it found something before `end`. */
function firstBefore(end: number, index: number): number | undefined {
  return index >= 0 && index < end ? index : undefined;
}
