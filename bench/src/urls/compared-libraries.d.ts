declare module "url-regex-safe" {
  /** Returns a global regular expression for URLs. */
  export default function urlRegexSafe(options?: { readonly strict?: boolean }): RegExp;
}
