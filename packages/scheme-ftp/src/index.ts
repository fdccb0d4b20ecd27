export type { FtpEntry } from "./listing/listing.ts";
export type { CwdStrategy, FtpOptions, FtpRequestOptions, FtpTls } from "./options.ts";
export { ftp } from "./scheme.ts";
export type { FtpResource, FtpResourceInfo } from "./transfer/retrieve.ts";
export { type FtpParts, ftpSyntax, type FtpTypecode, FtpUrl } from "./url/syntax.ts";
