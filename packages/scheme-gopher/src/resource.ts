import type { ContentResource, DirectoryResource } from "@anyscheme/core";
import type { FormResource } from "@anyscheme/core/plugin";
import type { GopherEntry } from "./entry.ts";
import type { GopherAttributes } from "./plus/attributes.ts";
import type { GopherForm } from "./plus/form.ts";
import type { GopherName, GopherUrl } from "./syntax.ts";

/**
 * The attributes of an item, as the text that the server sent and as what it means. RFC 1738 §3.4.6, §3.4.7. A server that knows no
 * Gopher+ sends the item instead, which then has no `attributes`.
 */
export interface GopherAttributesResource extends ContentResource {
  /** Reads the body and what it says. */
  attributes(): Promise<GopherAttributes>;
}

/** A form to fill in: that of an item tagged `?`, or a search. RFC 1738 §3.4.2, §3.4.5. */
export type GopherFormResource<Name extends GopherName = GopherName> = FormResource<GopherUrl<Name>> &
  GopherForm<Name>;

/**
 * What a gopher URL gives: menus, search results and the attributes of all items of a menu are directories; the attributes of one
 * item have them for data, besides the text; all else is content or a form.
 */
export type GopherResource<Name extends GopherName = GopherName> =
  ContentResource | GopherAttributesResource | DirectoryResource<GopherEntry> | GopherFormResource<Name>;
