export type { FileEntry, FileResource } from "./execute-plan.ts";
export type { FileOptions } from "./scheme-options.ts";
export type { FilePath } from "./file-path.ts";
export type { FilePlan, FileRenamePlan } from "./plan.ts";
export { file } from "./scheme.ts";
export { type FileUrlBuildParts, fileSyntax, FileUrl } from "./syntax.ts";
