import { AccessError, type Plan, type Step } from "@anyscheme/core";
import { type AccessContext, makePlan, type PutOptions, step } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { type FilePath, toFilePath } from "./path.ts";
import type { FileUrl } from "./syntax.ts";

/** The plan of an operation on a file. */
export interface FilePlan extends Plan<FileUrl> {
  readonly path: FilePath;
}

/** The plan of a rename. */
export interface RenamePlan extends FilePlan {
  readonly target: FilePath;
}

/**
 * Plans operations by the name rules of one platform. All functions throw `unsupported` for another host, and
 * `refused-characters`.
 */
export interface FilePlanner {
  readonly read: (url: FileUrl) => FilePlan;
  readonly stat: (url: FileUrl) => FilePlan;
  /**
   * Plans a write. Throws `no-content` for the URL of a directory, and `unsupported` for an atomic put at a
   * position.
   */
  readonly put: (url: FileUrl, options: PutOptions) => FilePlan;
  readonly delete: (url: FileUrl) => FilePlan;
  readonly mkdir: (url: FileUrl) => FilePlan;
  readonly rename: (url: FileUrl, to: FileUrl) => RenamePlan;
}

const openStep = (path: string): Step => step("open", "3.10", path);
const closeStep = (object: string): Step => step("close", "3.10", object);

/** Creates the planner for a platform. Reading follows RFC 1738 §3.10, and the other operations follow §2. */
export function createFilePlanner(platform: NodeJS.Platform): FilePlanner {
  const createPlan = (url: FileUrl, steps: readonly Step[]): FilePlan =>
    makePlan(url, steps, { path: localPath(url, platform) });
  const modifySteps = (url: FileUrl, description: string): readonly Step[] => [
    openStep(displayParent(url)),
    step("modify", "2", description),
    closeStep("the directory"),
  ];

  return {
    read: (url) =>
      createPlan(url, [
        openStep(displayPath(url)),
        step("transfer", "3.10", "the bytes of the file, or the names in the directory"),
        closeStep("the file"),
      ]),
    stat: (url) => createPlan(url, [openStep(displayPath(url)), closeStep("the file")]),
    put(url, { at = 0, atomic = false }) {
      if (at !== "end" && (!Number.isSafeInteger(at) || at < 0))
        throw new AccessError("unsupported", 'a put needs a whole number of bytes for "at", or "end"');
      if (atomic && at !== 0) throw new AccessError("unsupported", "an atomic put replaces the whole file");
      if (url.segments.at(-1) === "")
        throw new AccessError("no-content", "the URL ends in a slash, so it names a directory");
      return createPlan(url, [
        openStep(displayParent(url)),
        openStep(displayPath(url)),
        step("transfer", "3.10", "the bytes of the upload"),
        closeStep("the file"),
      ]);
    },
    delete: (url) => createPlan(url, modifySteps(url, `delete ${displayPath(url)}`)),
    mkdir: (url) => createPlan(url, modifySteps(url, `make the directory ${displayPath(url)}`)),
    rename(url, to) {
      const steps = modifySteps(url, `rename ${displayPath(url)} to ${displayPath(to)}`);
      return makePlan(url, steps, { path: localPath(url, platform), target: localPath(to, platform) });
    },
  };
}

/** Returns a function that begins the next step of a plan with each call. */
export function createStepper(
  { steps }: FilePlan,
  context: Pick<AccessContext<never>, "beginStep">,
): () => void {
  const remaining = steps.values();
  return () => {
    const { value } = remaining.next();
    if (value) context.beginStep(value);
  };
}

function localPath(url: FileUrl, platform: NodeJS.Platform): FilePath {
  if (!url.isLocal) {
    const advice = "the scheme defines no protocol for files on other hosts";
    throw new AccessError("unsupported", `the file is on ${url.host}`, { advice });
  }
  return toFilePath(url.segments.map(percentDecode), platform);
}

function displayPath({ segments }: FileUrl): string {
  return `/${segments.join("/")}`;
}

/** Returns the path of the parent directory. */
function displayParent({ segments }: FileUrl): string {
  return `/${segments.slice(0, segments.at(-1) === "" ? -2 : -1).join("/")}`;
}
