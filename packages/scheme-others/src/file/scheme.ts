import type { Scheme } from "@anyscheme/core";
import { accessFile, type FileResource } from "./access.ts";
import type { FileOptions } from "./options.ts";
import { type FilePlan, planFile } from "./plan.ts";
import { fileSyntax, type FileUrl } from "./syntax.ts";

/** The file scheme. RFC 1738 §3.10. Without a root every access is refused with `permission-denied`. */
export function file(options: FileOptions = {}): Scheme<FileUrl, FileResource> {
  return {
    name: "file",
    syntax: fileSyntax,
    plan: planFile,
    access: (plan, context) => accessFile(plan as FilePlan, context, options.root),
  };
}
