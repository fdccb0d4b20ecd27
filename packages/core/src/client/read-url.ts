import { type ParseOptions, type Url } from "../syntax/index.ts";
import { type CheckedBy, checkedBy } from "../syntax/url.ts";
import type { Registry } from "./registry.ts";

/** Returns the URL for a text, a URL object, or an object with an `href`. */
export type ReadUrl = (input: unknown, options?: ParseOptions) => Url;

/**
 * Creates the URL reader of a client. The reader returns URLs that the client's syntaxes have checked. The reader
 * parses the `href` of any other object, because its other fields are not trusted. Throws `UrlSyntaxError`, and
 * `TypeError` for a value without a text.
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

/** Returns the check of a URL by its registered syntax, or `undefined`. */
export function checkedByRegistered(registry: Registry, input: unknown): CheckedBy | undefined {
  const certifier = checkedBy(input);
  if (certifier === undefined) return undefined;
  return registry.isSyntaxOf(certifier.syntax, input as Url) ? certifier : undefined;
}
