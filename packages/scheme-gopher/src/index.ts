export type { GopherAttributeBlock, GopherAdmin, GopherAttributes } from "./gopher-plus/attributes.ts";
export type { GopherFormField, GopherForm } from "./gopher-plus/gopher-form.ts";
export type { GopherPlusView, GopherPlusViewPreference } from "./gopher-plus/gopher-plus-view.ts";
export type { GopherEntry } from "./menu/menu-entry.ts";
export { parseMenu } from "./menu/menu.ts";
export type { GopherLimits, GopherRequestOptions, GopherOptions, GophersOptions } from "./scheme-options.ts";
export type { GopherPlan } from "./plan.ts";
export type { GopherAttributesResource, GopherFormResource, GopherResource } from "./execute-plan.ts";
export { gopher, gophers } from "./scheme.ts";
export {
  type GopherSchemeName,
  type GopherUrlBuildParts,
  gophersSyntax,
  gopherSyntax,
  GopherUrl,
} from "./syntax.ts";
