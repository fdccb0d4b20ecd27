export { type FileParts, fileSyntax, FileUrl } from "./file/syntax.ts";
