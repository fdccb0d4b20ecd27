export { type ProsperoParts, prosperoSyntax, ProsperoUrl } from "./syntax.ts";
