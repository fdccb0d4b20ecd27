declare module "url-regex-safe" {
  /** A global expression for URLs. */
  export default function urlRegexSafe(options?: { readonly strict?: boolean }): RegExp;
}
