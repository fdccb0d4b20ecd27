import { AccessError, type Plan, type Step } from "@anyscheme/core";
import { type AccessContext, makePlan, step, type PutOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { type FilePath, toFilePath } from "./path.ts";
import type { FileUrl } from "./syntax.ts";

/** A plan for a file, and where it is. */
export interface FilePlan extends Plan<FileUrl> {
  readonly path: FilePath;
}

/** A plan that gives a file another name. */
export interface RenamePlan extends FilePlan {
  readonly target: FilePath;
}

/** Plans for one system's names. Segments are decoded once. All throw `unsupported` for another host, and `refused-characters`. */
export interface FilePlanner {
  readonly read: (url: FileUrl) => FilePlan;
  readonly stat: (url: FileUrl) => FilePlan;
  /** Throws `no-content` for the URL of a directory, and `unsupported` for a place that an atomic put cannot have. */
  readonly put: (url: FileUrl, options: PutOptions) => FilePlan;
  readonly delete: (url: FileUrl) => FilePlan;
  readonly mkdir: (url: FileUrl) => FilePlan;
  readonly rename: (url: FileUrl, to: FileUrl) => RenamePlan;
}

const open = (url: FileUrl): Step => step("open", "3.10", displayPath(url));
const close = (what: string): Step => step("close", "3.10", what);
const change = (text: string): Step => step("modify", "2", text);

/** RFC 1738 §3.10, and §2 for what else may be done with a resource. */
export function createFilePlanner(platform: NodeJS.Platform): FilePlanner {
  const planned = (url: FileUrl, steps: readonly Step[]): FilePlan =>
    makePlan(url, steps, { path: localPath(url, platform) });
  const changed = (url: FileUrl, text: string): FilePlan =>
    planned(url, [step("open", "3.10", displayParent(url)), change(text), close("the folder")]);

  return {
    read: (url) =>
      planned(url, [
        open(url),
        step("transfer", "3.10", "the bytes of the file, or the names in the directory"),
        close("the file"),
      ]),
    stat: (url) => planned(url, [open(url), close("the file")]),
    put(url, { at = 0, atomic = false }) {
      if (at !== "end" && (!Number.isSafeInteger(at) || at < 0))
        throw new AccessError("unsupported", 'a put is at a whole number of bytes, or at "end"');
      if (atomic && at !== 0) throw new AccessError("unsupported", "an atomic put replaces the whole file");
      if (url.segments.at(-1) === "")
        throw new AccessError("no-content", "the URL ends in a slash, as that of a directory");
      return planned(url, [
        step("open", "3.10", displayParent(url)),
        open(url),
        step("transfer", "3.10", "the bytes of the upload"),
        close("the file"),
      ]);
    },
    delete: (url) => changed(url, `delete ${displayPath(url)}`),
    mkdir: (url) => changed(url, `make the directory ${displayPath(url)}`),
    rename: (url, to) =>
      Object.freeze({
        ...changed(url, `rename ${displayPath(url)} to ${displayPath(to)}`),
        target: localPath(to, platform),
      }),
  };
}

/** Returns a function that enters the steps of a plan, one a call, in their order. */
export function createStepper(
  { steps }: FilePlan,
  context: Pick<AccessContext<never>, "beginStep">,
): () => void {
  const left = steps.values();
  return () => {
    const { value } = left.next();
    if (value) context.beginStep(value);
  };
}

function localPath(url: FileUrl, platform: NodeJS.Platform): FilePath {
  if (!url.isLocal) {
    const advice = "the scheme names no protocol to reach other hosts by";
    throw new AccessError("unsupported", `the file is on ${url.host}`, { advice });
  }
  return toFilePath(url.segments.map(percentDecode), platform);
}

function displayPath({ segments }: FileUrl): string {
  return `/${segments.join("/")}`;
}

/** The path of the folder that a file or directory is in. */
function displayParent({ segments }: FileUrl): string {
  return `/${segments.slice(0, segments.at(-1) === "" ? -2 : -1).join("/")}`;
}
