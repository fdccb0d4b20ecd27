import type { Client, ContentResource, Resource } from "@anyscheme/core";
import { percentEncode } from "@anyscheme/core/syntax";
import type { Links } from "../html/links.ts";
import type { Link } from "../html/layout.ts";

/** The header fields of a news article that a page uses. RFC 5536. */
interface Article {
  readonly subject: string | undefined;
  readonly newsgroups: readonly string[];
  readonly references: readonly string[];
}

/**
 * An article may refer to hundreds of others. The page links the last references, which are the closest in the
 * thread.
 */
const MAX_REFERENCES = 10;

/** Returns the article of a resource, or undefined when the resource is no article. */
export function getArticle(resource: Resource): Article | undefined {
  return resource.kind === "content" && "article" in resource
    ? (resource as ContentResource & { article: Article }).article
    : undefined;
}

/** Returns links to the newsgroups and the references of an article. */
export function articleLinks(
  { newsgroups, references }: Article,
  client: Client,
  links: Links,
): readonly Link[] {
  const link = (text: string, part: string): Link[] => {
    const { url } = client.tryParse(`news:${percentEncode(part).replaceAll("%40", "@")}`);
    const href = url && links.hrefTo(url);
    return href === undefined ? [] : [{ text, href }];
  };
  return [
    ...newsgroups.flatMap((group) => link(group, group)),
    ...references.slice(-MAX_REFERENCES).flatMap((id) => link(`<${id}>`, id)),
  ];
}
