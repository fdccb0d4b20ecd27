import type { ContentResource, DirectoryResource } from "@anyscheme/core";
import type { FormResource } from "@anyscheme/core/plugin";
import type { GopherAttributes } from "./gopher-plus/attributes.ts";
import type { GopherForm } from "./gopher-plus/form.ts";
import type { GopherEntry } from "./menu/entry.ts";
import type { GopherName, GopherUrl } from "./url/syntax.ts";

/**
 * The attributes of an item, as text from the server and as parsed data. RFC 1738 §3.4.6, §3.4.7. A server without
 * Gopher+ sends the item instead, and the resource then has no method `attributes`.
 */
export interface GopherAttributesResource extends ContentResource {
  /** Reads the body and parses the attributes. */
  attributes(): Promise<GopherAttributes>;
}

/** A form to fill in: the form of an item tagged `?`, or a search. RFC 1738 §3.4.2, §3.4.5. */
export type GopherFormResource<Name extends GopherName = GopherName> = FormResource<GopherUrl<Name>> &
  GopherForm<Name>;

/**
 * The resource of a gopher URL. Menus, search results and the attributes of all items of a menu are directories.
 * Forms and searches without a search string are forms. All other resources are content, with parsed attributes for
 * the Gopher+ string `!`.
 */
export type GopherResource<Name extends GopherName = GopherName> =
  ContentResource | GopherAttributesResource | DirectoryResource<GopherEntry> | GopherFormResource<Name>;
