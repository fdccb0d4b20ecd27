/** Options of the http scheme. */
export interface HttpOptions {
  /** The User-Agent field. Default `anyscheme/<version>`. RFC 9110 §10.1.5. */
  readonly userAgent?: string | undefined;
}

/** Options of the https scheme. */
export interface HttpsOptions extends HttpOptions {
  /** PEM certificates trusted instead of the built-in ones. Certificates are always verified. */
  readonly ca?: string | readonly string[] | undefined;
}

/** Options of one call with an http or https URL. They are meant for the URL's origin, and a redirect to another drops them. */
export interface HttpCallOptions {
  /**
   * Further fields of the request, or other values for `accept` and `user-agent`. `refused-octets` is thrown for a name that
   * is no token, for control octets in a value, and for fields that decide about framing, connection or a partial answer.
   */
  readonly headers?: HeaderFields | undefined;
}

/** Header fields by name, or in order as pairs, as `Headers` and `Map` give them. */
export type HeaderFields =
  Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;
