import { type ParseOptions, type Url } from "../syntax/index.ts";
import { type CheckedBy, checkedBy } from "../syntax/url.ts";
import type { Registry } from "./registry.ts";

/** Reads what a caller or a plug-in gives for a URL. */
export type ReadUrl = (input: unknown, options?: ParseOptions) => Url;

/**
 * Makes the reader of a client. It takes a URL as it is when the syntax that is registered for its scheme has checked it. Of
 * any other object only `href` counts, which is parsed: the fields of an object that looks like a URL may hold anything, and a
 * URL of another client may be of another grammar. Throws `UrlSyntaxError`, and `TypeError` for what has no text.
 */
export function createReadUrl(
  registry: Registry,
  parse: (text: string, options?: ParseOptions) => Url,
): ReadUrl {
  return (input, options) => {
    if (typeof input === "string") return parse(input, options);
    if (checkedByRegistered(registry, input)) return input as Url;
    const href: unknown =
      typeof input === "object" && input !== null && "href" in input ? input.href : undefined;
    if (typeof href === "string") return parse(href, options);
    throw new TypeError("a URL has to be a string, or an object whose href is one");
  };
}

/** What has checked a URL, when it is the syntax that is registered for the URL's scheme; else `undefined`. */
export function checkedByRegistered(registry: Registry, input: unknown): CheckedBy | undefined {
  const certifier = checkedBy(input);
  if (certifier === undefined) return undefined;
  return registry.isSyntaxOf(certifier.syntax, input as Url) ? certifier : undefined;
}
