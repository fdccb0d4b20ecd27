import { AccessError, type Scheme, type Url } from "@anyscheme/core";
import { type AccessContext, checkOptions, type OptionalSchemeOperations } from "@anyscheme/core/plugin";
import { readFileOrListDirectory, type FileResource, statFile } from "./execute-plan.ts";
import { deleteLocalEntry, makeLocalDirectory, renameLocalEntry } from "./delete-mkdir-rename.ts";
import { FILE_SCHEME_OPTION_KINDS, type FileOptions } from "./scheme-options.ts";
import {
  type FilePlan,
  planFileUrlDelete,
  planFileUrlMkdir,
  planFileUrlPut,
  planFileUrlRead,
  planFileUrlRename,
  planFileUrlStat,
  type FileRenamePlan,
} from "./plan.ts";
import { putLocalFile } from "./put-file.ts";
import { fileSyntax, FileUrl } from "./syntax.ts";

/** Returns the file scheme. RFC 1738 §3.10. Every request fails with `permission-denied` if no root is configured. */
export function file(options: FileOptions = {}): Scheme<FileUrl, FileResource> {
  checkOptions("file", options, FILE_SCHEME_OPTION_KINDS);
  const { root, platform = process.platform, cache: usesCache = false } = options;
  const selectCache = <R>(context: AccessContext<R>): AccessContext<R> =>
    usesCache ? context : { ...context, cache: undefined };
  const operations: OptionalSchemeOperations<FileUrl> = {
    stat: {
      plan: (url) => planFileUrlStat(url, platform),
      perform: (plan, context, request) => statFile(plan as FilePlan, selectCache(context), root, request),
    },
    put: {
      plan: (url, request) => planFileUrlPut(url, request, platform),
      perform: (plan, context, request) => putLocalFile(plan as FilePlan, context, root, request),
    },
    delete: {
      plan: (url) => planFileUrlDelete(url, platform),
      perform: (plan, context) => deleteLocalEntry(plan as FilePlan, context, root),
    },
    mkdir: {
      plan: (url) => planFileUrlMkdir(url, platform),
      perform: (plan, context) => makeLocalDirectory(plan as FilePlan, context, root),
    },
    rename: {
      plan: (url, { to }) => planFileUrlRename(url, requireFileUrl(to), platform),
      perform: (plan, context) => renameLocalEntry(plan as FileRenamePlan, context, root),
    },
  };
  return {
    name: "file",
    syntax: fileSyntax,
    // A server must not choose which local file the program reads.
    acceptsRedirects: false,
    plan: (url) => planFileUrlRead(url, platform),
    access: (plan, context, request) =>
      readFileOrListDirectory(plan as FilePlan, selectCache(context), root, request),
    operations,
    requestOptions: {},
    supportedOptions: usesCache ? ["range", "cache"] : ["range"],
  };
}

function requireFileUrl(url: Url): FileUrl {
  if (url instanceof FileUrl) return url;
  throw new AccessError("unsupported", `a file cannot be renamed to a URL of the scheme ${url.scheme}`);
}
