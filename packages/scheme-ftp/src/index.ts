export type { FtpResourceInfo, FtpResource } from "./transfer/retrieve.ts";
export type { FtpEntry } from "./listing/listing.ts";
export type { FtpRequestOptions, FtpOptions, FtpTls, CwdStrategy as FtpWalk } from "./options.ts";
export { ftp } from "./scheme.ts";
export { type FtpParts, ftpSyntax, type FtpTypecode, FtpUrl } from "./url/syntax.ts";
