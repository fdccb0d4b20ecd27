export { type WaisKind, type WaisParts, waisSyntax, WaisUrl } from "./syntax.ts";
