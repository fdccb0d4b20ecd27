import type { Url, FormResource, FormValue } from "@anyscheme/core";
import { percentEncode } from "@anyscheme/core/syntax";
import { GatewayHttpError } from "../http/errors.ts";

/**
 * Returns the URL that submits a form of a server with the posted values. The posted names are `f0`, `f1` … in the
 * order of the form fields.
 */
export function createUrlOfFilledForm(form: FormResource, posted: URLSearchParams): Url {
  // `posted.get` would search the whole list for each field of the form.
  const postedValues = new Map(posted);
  // The server chooses the names of the form fields, and may choose "__proto__".
  const values = new Map<string, FormValue>();
  for (const [index, { name, kind }] of form.fields.entries()) {
    const value = postedValues.get(`f${index}`);
    if (kind === "note") continue;
    if (kind === "switch") values.set(name, value !== undefined);
    else if (kind === "file") values.set(name, new TextEncoder().encode(value ?? ""));
    else if (value !== undefined) values.set(name, value.replaceAll("\r\n", "\n"));
  }
  try {
    return form.fill(Object.fromEntries(values));
  } catch (error) {
    throw new GatewayHttpError(400, error instanceof Error ? error.message : "The form cannot be sent.");
  }
}

/**
 * The functions that add search words to a URL, for each scheme that supports searches. RFC 1738 §3.3, §3.4.3, §3.9.
 */
const SEARCH_URL_FACTORIES: Readonly<Record<string, (url: string, words: string) => string>> = {
  gopher: createGopherSearchUrl,
  gophers: createGopherSearchUrl,
  wais: createQuerySearchUrl,
  http: createQuerySearchUrl,
  https: createQuerySearchUrl,
};

/**
 * Returns the URL that searches a resource, such as a WAIS database, for words. Throws `GatewayHttpError` for a scheme
 * without searches.
 */
export function createSearchUrl(url: string, words: string): string {
  const scheme = url.slice(0, url.indexOf(":"));
  const search = Object.hasOwn(SEARCH_URL_FACTORIES, scheme) ? SEARCH_URL_FACTORIES[scheme] : undefined;
  if (!search) throw new GatewayHttpError(400, `URLs of the scheme ${scheme} cannot be searched.`);
  return search(url, percentEncode(words));
}

function createGopherSearchUrl(url: string, words: string): string {
  return `${url.replace(/%09.*$/s, "")}%09${words}`;
}

function createQuerySearchUrl(url: string, words: string): string {
  return `${url.replace(/\?.*$/s, "")}?${words}`;
}
