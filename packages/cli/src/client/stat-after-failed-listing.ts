import type { AccessError, Url } from "@anyscheme/core";
import type { FileAttributes } from "../output/listing.ts";
import type { CommandLineClient } from "./command-line-client.ts";

/**
 * Returns the attributes of an FTP file that could not be listed as a directory. Rejects with `listingError` if its
 * code is not `not-found` or the URL names a directory, and with the errors of `CommandLineClient.stat`.
 */
export async function statFtpFileAfterFailedListing(
  client: CommandLineClient,
  url: Url,
  listingError: unknown,
): Promise<FileAttributes> {
  // The code `not-found` means that the server refused CWD. After a refused login, a second login could lock the
  // account.
  if ((listingError as Partial<AccessError>).code !== "not-found") throw listingError;
  const { kind, size, modified } = await client.stat(url);
  if (kind === "directory") throw listingError;
  return { kind: "content", url, size, modified };
}
