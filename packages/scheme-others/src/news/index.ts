export { type NewsKind, type NewsParts, newsSyntax, NewsUrl } from "./syntax.ts";
