import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** Options of the http scheme. */
export interface HttpOptions {
  /** The User-Agent field. Default `anyscheme/<version>`. RFC 9110 §10.1.5. */
  readonly userAgent?: string | undefined;
}

/** Options of the https scheme. */
export interface HttpsOptions extends HttpOptions {
  /** PEM certificates trusted instead of the built-in ones. Certificates are always verified. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client's own certificate with those that lead to its root, in PEM, for servers that want to know who asks. Default: none. */
  readonly cert?: string | undefined;
  /** The private key of `cert`, in PEM. */
  readonly key?: string | undefined;
  /** Decrypts `key`. */
  readonly passphrase?: string | undefined;
}

/** Options of one call with an http or https URL. They are meant for the URL's origin, and a redirect to another drops them. */
export interface HttpRequestOptions {
  /**
   * Further fields of the request, or other values for `accept` and `user-agent`. `refused-characters` is thrown for a name that
   * is no token, for control bytes in a value, and for fields that decide about framing, connection or a partial answer.
   */
  readonly headers?: HeaderFields | undefined;
  /**
   * Gives the bytes as they were sent, in whatever content coding (RFC 9110 §8.4) that is; `accept-encoding` can then be one
   * of the `headers`. Default false: gzip, deflate, br and, where Node.js has it, zstd are decoded.
   */
  readonly raw?: boolean | undefined;
  /** `"return"`: an answer of status 4xx or 5xx is content like any other. Default `"throw"`: it is an error. */
  readonly httpErrors?: "throw" | "return" | undefined;
  /** `"return"`: an answer of status 3xx is content like any other. `"refuse"`: it is `refused-redirect`. Default `"follow"`. */
  readonly redirects?: "follow" | "refuse" | "return" | undefined;
}

/** Header fields by name, or in order as pairs, as `Headers` and `Map` give them. */
export type HeaderFields =
  Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

export const HTTP_OPTIONS: OptionTable<HttpOptions> = { userAgent: kind.string };

export const HTTPS_OPTIONS: OptionTable<HttpsOptions> = {
  ...HTTP_OPTIONS,
  ca: kind.certificates,
  cert: kind.string,
  key: kind.string,
  passphrase: kind.string,
};

const fields: kind.OptionKind = {
  expects: "an object of strings, or pairs of name and value as Headers has",
  accepts: (value) =>
    typeof value === "object" &&
    value !== null &&
    // What is iterated can be read once only.
    (Symbol.iterator in value || Object.values(value).every((each) => typeof each === "string")),
};

export const HTTP_CALL_OPTIONS: OptionTable<HttpRequestOptions> = {
  headers: fields,
  raw: kind.boolean,
  httpErrors: kind.oneOf("throw", "return"),
  redirects: kind.oneOf("follow", "refuse", "return"),
};
