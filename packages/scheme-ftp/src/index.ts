export type { FtpEntry } from "./listing/entry.ts";
export type { CwdStrategy, FtpLimits, FtpOptions, FtpRequestOptions, FtpTlsMode } from "./scheme-options.ts";
export { ftp } from "./scheme.ts";
export type { FtpResource, UsedFtpCwdStrategy } from "./transfer/retrieve.ts";
export { type FtpUrlBuildParts, ftpSyntax, type FtpTypecode, FtpUrl } from "./syntax.ts";
