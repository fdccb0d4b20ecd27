import { formatHostAsAscii } from "../host.ts";
import { InternetUrl } from "../internet-url.ts";
import { escapeCharacter } from "./percent-encoding.ts";
import type { Url } from "../url.ts";

// scheme ":" [ "//" authority ] path-and-query            RFC 3986 §3
const uriParts = /^([^:]*:)(?:\/\/([^/?#]*))?([^#]*)/;
// The characters that RFC 3986 §3 does not allow in a login or in a path and query, and a "%" that begins no escape.
const DISALLOWED_IN_AUTHORITY = /[^!$&-.0-;=@-Z_a-z~%]|%(?![0-9A-Fa-f]{2})/gu;
const DISALLOWED_IN_PATH = /[^!$&-;=?-Z_a-z~%]|%(?![0-9A-Fa-f]{2})/gu;

/**
 * Returns a URL of modern mode in the form of RFC 3986, without the fragment. Escapes as few characters as possible.
 */
export function formatUrlAsRfc3986(url: Url): string {
  const [, scheme = "", authority, rest = ""] = uriParts.exec(url.href) ?? [];
  const host = url instanceof InternetUrl ? url.host : "";
  const written = authority === undefined ? "" : `//${formatAuthority(authority, host)}`;
  return scheme.toLowerCase() + written + rest.replace(DISALLOWED_IN_PATH, escapeCharacter);
}

/** Writes an authority with the host in US-ASCII and an escaped login. */
function formatAuthority(authority: string, host: string): string {
  const start = authority.lastIndexOf("@") + 1;
  const login = authority.slice(0, start).replace(DISALLOWED_IN_AUTHORITY, escapeCharacter);
  const port = authority.slice(start + host.length);
  return (
    login + (host === "" ? authority.slice(start) : formatHostAsAscii(host) + (port === ":" ? "" : port))
  );
}
