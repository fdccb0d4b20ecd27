import type { Client, ContentResource, Resource } from "@anyscheme/core";
import { percentEncode } from "@anyscheme/core/syntax";
import type { Links } from "../links.ts";
import type { Crumb } from "./layout.ts";

/** What the header section of a news article tells. RFC 5536. */
interface Article {
  readonly subject: string | undefined;
  readonly newsgroups: readonly string[];
  readonly references: readonly string[];
}

/** An article may name hundreds of others; these are the nearest ones. */
const MAX_REFERENCES = 10;

/** The article that a resource is; `undefined` for every other resource. */
export function articleOf(resource: Resource): Article | undefined {
  return resource.kind === "content" && "article" in resource
    ? (resource as ContentResource & { article: Article }).article
    : undefined;
}

/** Where an article was posted to, and what it follows up. */
export function articleLinks(
  { newsgroups, references }: Article,
  client: Client,
  links: Links,
): readonly Crumb[] {
  const link = (text: string, part: string): Crumb[] => {
    const { url } = client.tryParse(`news:${percentEncode(part).replaceAll("%40", "@")}`);
    const href = url && links.to(url);
    return href === undefined ? [] : [{ text, href }];
  };
  return [
    ...newsgroups.flatMap((group) => link(group, group)),
    ...references.slice(-MAX_REFERENCES).flatMap((id) => link(`<${id}>`, id)),
  ];
}
