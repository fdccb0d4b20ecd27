export type { FtpReached, FtpResource } from "./transfer/retrieve.ts";
export type { FtpEntry } from "./listing/listing.ts";
export type { FtpRequestOptions, FtpOptions, FtpTls, Walk as FtpWalk } from "./options.ts";
export { ftp } from "./scheme.ts";
export { type FtpParts, ftpSyntax, type FtpTypecode, FtpUrl } from "./url/syntax.ts";
