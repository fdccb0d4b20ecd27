import { AccessError, type Scheme, type Url } from "@anyscheme/core";
import { checkOptions, type Operations } from "@anyscheme/core/plugin";
import { accessFile, type FileResource, statFile } from "./access.ts";
import { deleteFile, mkdir, renameFile } from "./modify.ts";
import { FILE_OPTIONS, type FileOptions } from "./options.ts";
import { type FilePlan, createFilePlanner, type RenamePlan } from "./plan.ts";
import { putFile } from "./put.ts";
import { fileSyntax, FileUrl } from "./syntax.ts";

/** Returns the file scheme. RFC 1738 §3.10. Every request fails with `permission-denied` if no root is configured. */
export function file(options: FileOptions = {}): Scheme<FileUrl, FileResource> {
  checkOptions("file", options, FILE_OPTIONS);
  const { root, platform = process.platform } = options;
  const planner = createFilePlanner(platform);
  const operations: Operations<FileUrl> = {
    stat: {
      plan: planner.stat,
      perform: (plan, context) => statFile(plan as FilePlan, context, root),
    },
    put: {
      plan: planner.put,
      perform: (plan, context, request) => putFile(plan as FilePlan, context, root, request),
    },
    delete: {
      plan: planner.delete,
      perform: (plan, context) => deleteFile(plan as FilePlan, context, root),
    },
    mkdir: {
      plan: planner.mkdir,
      perform: (plan, context) => mkdir(plan as FilePlan, context, root),
    },
    rename: {
      plan: (url, { to }) => planner.rename(url, requireFileUrl(to)),
      perform: (plan, context) => renameFile(plan as RenamePlan, context, root),
    },
  };
  return {
    name: "file",
    syntax: fileSyntax,
    plan: planner.read,
    access: (plan, context, request) => accessFile(plan as FilePlan, context, root, request),
    operations,
    requestOptions: {},
    supports: ["range"],
  };
}

function requireFileUrl(url: Url): FileUrl {
  if (url instanceof FileUrl) return url;
  throw new AccessError("unsupported", `the new name has the scheme ${url.scheme}`);
}
