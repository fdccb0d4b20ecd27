/** Options of the scheme. */
export interface FtpOptions {
  /**
   * The type of transfer for URLs without `;type=` (RFC 1738 §3.2.3): `"guess"` it from the suffix of the name, or always
   * `"a"` (text) or `"i"` (as it is). Default `"guess"`.
   */
  readonly omittedType?: "guess" | "a" | "i" | undefined;
}

/** Options of one call. */
export interface FtpCallOptions {
  /** Instead of what the URL says: `"a"` text, `"i"` as it is, `"d"` the names in a directory. RFC 1738 §3.2.2. */
  readonly type?: "a" | "i" | "d" | undefined;
}
