export type { FtpReached, FtpResource } from "./access.ts";
export type { FtpEntry } from "./listing.ts";
export type { FtpRequestOptions, FtpOptions, FtpTls, Walk as FtpWalk } from "./options.ts";
export { ftp } from "./scheme.ts";
export { type FtpParts, ftpSyntax, type FtpTypecode, FtpUrl } from "./syntax.ts";
