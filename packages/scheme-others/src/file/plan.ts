import { AccessError, type Plan, type Step } from "@anyscheme/core";
import { type AccessContext, createPlan, type PutOptions, createStep } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { type FilePath, segmentsToFilePath } from "./file-path.ts";
import type { FileUrl } from "./syntax.ts";

/** The plan of an operation on a file or directory. */
export interface FilePlan extends Plan<FileUrl> {
  readonly path: FilePath;
}

/** The plan of renaming a file or directory. */
export interface FileRenamePlan extends FilePlan {
  readonly target: FilePath;
}

const createOpenStep = (path: string): Step => createStep("open", "3.10", path);
const createCloseStep = (object: string): Step => createStep("close", "3.10", object);

// Each plan function applies the file name rules of a platform. The plan functions throw `unsupported` for a URL with
// another host, and `refused-characters` for a name that the platform does not allow.

/** Plans reading a file or listing a directory (RFC 1738 §3.10). */
export function planFileUrlRead(url: FileUrl, platform: NodeJS.Platform): FilePlan {
  return createFilePlan(url, platform, [
    createOpenStep(formatPath(url)),
    createStep("transfer", "3.10", "the bytes of the file, or the entries of the directory"),
    createCloseStep("the file"),
  ]);
}

/** Plans reading the attributes of a file or directory. */
export function planFileUrlStat(url: FileUrl, platform: NodeJS.Platform): FilePlan {
  return createFilePlan(url, platform, [createOpenStep(formatPath(url)), createCloseStep("the file")]);
}

/** Plans a put. Throws `no-content` for a URL with a final slash, and `unsupported` for an atomic put at a position. */
export function planFileUrlPut(
  url: FileUrl,
  { offset = 0, atomic = false }: PutOptions,
  platform: NodeJS.Platform,
): FilePlan {
  if (offset !== "end" && (!Number.isSafeInteger(offset) || offset < 0))
    throw new AccessError("unsupported", 'the option "offset" must be a whole number of bytes, or "end"');
  if (atomic && offset !== 0) throw new AccessError("unsupported", "an atomic put replaces the whole file");
  if (url.resolvedSegments.at(-1) === "")
    throw new AccessError("no-content", "the URL ends in a slash, so it names a directory");
  return createFilePlan(url, platform, [
    createOpenStep(formatParentPath(url)),
    createOpenStep(formatPath(url)),
    createStep("transfer", "3.10", "the bytes of the upload"),
    createCloseStep("the file"),
  ]);
}

/** Plans the deletion of a file or an empty directory. */
export function planFileUrlDelete(url: FileUrl, platform: NodeJS.Platform): FilePlan {
  return createFilePlan(url, platform, createFileModificationSteps(url, `delete ${formatPath(url)}`));
}

/** Plans the creation of a directory. */
export function planFileUrlMkdir(url: FileUrl, platform: NodeJS.Platform): FilePlan {
  return createFilePlan(
    url,
    platform,
    createFileModificationSteps(url, `make the directory ${formatPath(url)}`),
  );
}

export function planFileUrlRename(url: FileUrl, to: FileUrl, platform: NodeJS.Platform): FileRenamePlan {
  const steps = createFileModificationSteps(url, `rename ${formatPath(url)} to ${formatPath(to)}`);
  return createPlan(url, steps, {
    path: toLocalPath(url, platform),
    target: toLocalPath(to, platform),
  });
}

function createFilePlan(url: FileUrl, platform: NodeJS.Platform, steps: readonly Step[]): FilePlan {
  return createPlan(url, steps, { path: toLocalPath(url, platform) });
}

function createFileModificationSteps(url: FileUrl, description: string): readonly Step[] {
  return [
    createOpenStep(formatParentPath(url)),
    createStep("modify", "2", description),
    createCloseStep("the directory"),
  ];
}

/** Returns a function that begins one step of a plan per call, in order. */
export function createPlanStepStarter(
  { steps }: FilePlan,
  context: Pick<AccessContext<never>, "beginStep">,
): () => void {
  const remaining = steps.values();
  return () => {
    const { value } = remaining.next();
    if (value) context.beginStep(value);
  };
}

function toLocalPath(url: FileUrl, platform: NodeJS.Platform): FilePath {
  if (!url.isLocal) {
    const advice =
      platform === "win32"
        ? "Windows would connect to a network share without the checks of the guard"
        : "the scheme file defines no protocol for files on other hosts";
    throw new AccessError("unsupported", `the file is on the host ${url.host}`, { advice });
  }
  return segmentsToFilePath(url.resolvedSegments.map(percentDecode), platform);
}

function formatPath({ resolvedSegments }: FileUrl): string {
  return `/${resolvedSegments.join("/")}`;
}

function formatParentPath({ resolvedSegments }: FileUrl): string {
  const parent = resolvedSegments.slice(0, resolvedSegments.at(-1) === "" ? -2 : -1);
  return `/${parent.join("/")}`;
}
