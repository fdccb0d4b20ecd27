import type { Url } from "@anyscheme/core";

/** True for an FTP URL that names a file and has no type. An FTP URL with an empty name lists a directory. */
export function isFtpFileWithoutType(url: Url): boolean {
  return hasFtpFileName(url) && url.components()["type"] === undefined;
}

/** True for an FTP URL whose last segment is not empty. */
export function hasFtpFileName(url: Url): boolean {
  const { name } = url.components();
  return url.scheme === "ftp" && typeof name === "string" && name !== "";
}

/**
 * Returns the URL text of an FTP directory with a slash at its end and without a type. For an FTP URL that ends with a
 * slash, the client lists kinds, sizes and dates. The last path segment of the parameter `url` is not empty.
 */
export function toFtpDirectoryUrl(url: Url): string {
  const text = url.href.replace(/#.*$/s, "");
  const nameStart = text.lastIndexOf("/") + 1;
  return `${text.slice(0, nameStart)}${text.slice(nameStart).replace(/;type=.*$/is, "")}/`;
}
