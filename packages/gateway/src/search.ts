import { percentEncode } from "@anyscheme/core/syntax";
import { Refusal } from "./status.ts";

/** How each scheme writes words to search for into a URL. RFC 1738 §3.3, §3.4.3, §3.9. */
const SEARCHES: Readonly<Record<string, (url: string, words: string) => string>> = {
  gopher: searchItem,
  gophers: searchItem,
  wais: (url, words) => `${url.replace(/\?.*$/s, "")}?${words}`,
  http: (url, words) => `${url.replace(/\?.*$/s, "")}?${words}`,
  https: (url, words) => `${url.replace(/\?.*$/s, "")}?${words}`,
};

/** The URL of a search for these words. Throws `Refusal` for a URL that cannot be searched. */
export function searchUrl(url: string, words: string): string {
  const scheme = url.slice(0, url.indexOf(":"));
  const search = Object.hasOwn(SEARCHES, scheme) ? SEARCHES[scheme] : undefined;
  if (!search) throw new Refusal(400, `URLs of the scheme ${scheme} cannot be searched.`);
  return search(url, percentEncode(words));
}

function searchItem(url: string, words: string): string {
  return `${url.replace(/%09.*$/s, "")}%09${words}`;
}
