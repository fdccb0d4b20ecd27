import type { Step } from "@anyscheme/core";
import type { PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { CHANGED } from "./common-steps.ts";
import type { Path } from "./phases.ts";
import type { FtpOptions, CwdStrategy } from "../options.ts";
import { hear, type Say, sayWith } from "./steps.ts";

/** The walks that a strategy may take, the first choice first. */
const WALKS_OF: Readonly<Record<CwdStrategy | "adaptive", readonly CwdStrategy[]>> = {
  multicwd: ["multicwd"],
  singlecwd: ["singlecwd"],
  absolute: ["absolute"],
  adaptive: ["multicwd", "singlecwd", "absolute"],
};

const SLASH = 0x2f;

/** The ways to one directory; the last ones are kept, since a file seldom comes alone out of its directory. */
interface Ways {
  readonly cwd: string;
  readonly walks: readonly CwdStrategy[];
  readonly allowControlCharacters: boolean | undefined;
  readonly paths: readonly Path[];
}

let last: Ways | undefined;

/** One path for each walk to the directory of a URL. RFC 1738 §3.2.2. */
export function pathsOf(cwd: readonly string[], settings: FtpOptions, options: PlanOptions): readonly Path[] {
  const { allowControlCharacters } = options;
  const walks = walksOf(settings);
  // As written there is no slash in a segment, and a URL without directories is another than one with an empty one.
  const text = cwd.length === 0 ? "" : `/${cwd.join("/")}`;
  if (last?.cwd === text && last.walks === walks && last.allowControlCharacters === allowControlCharacters)
    return last.paths;
  const directories = cwd.map((segment) => percentDecode(segment));
  last = { cwd: text, walks, allowControlCharacters, paths: pathsTo(directories, settings, options) };
  return last.paths;
}

/** One path for each walk to these directories, one after the other. */
export function pathsTo(
  directories: readonly Uint8Array[],
  settings: FtpOptions,
  options: PlanOptions,
): readonly Path[] {
  return makePaths(directories, walksOf(settings), sayWith(options));
}

function walksOf({ cwdStrategy: strategy = "multicwd" }: FtpOptions): readonly CwdStrategy[] {
  return WALKS_OF[strategy];
}

function makePaths(directories: readonly Uint8Array[], walks: readonly CwdStrategy[], say: Say): Path[] {
  // Without a directory there is no walk that a server could refuse.
  const needed = directories.length === 0 ? walks.slice(0, 1) : walks;
  return needed.map((walk, index) => {
    const targets = ways[walk](directories);
    // A further path is gone when the one before was refused.
    const when = index === 0 ? undefined : "5";
    return { walk, place: placeOf(targets), steps: targets.flatMap((target) => cwdSteps(target, say, when)) };
  });
}

/** The arguments of the CWD commands. */
const ways: Readonly<Record<CwdStrategy, (directories: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
  // "Each of the <cwd> elements is to be supplied, sequentially, as the argument to a CWD (change working directory) command."
  multicwd: (directories) => directories,
  singlecwd: (directories) => (directories.length === 0 ? [] : [joined(directories)]),
  absolute: (directories) => [absolute(directories)],
};

function absolute(directories: readonly Uint8Array[]): Uint8Array {
  const path = joined(directories.filter(({ length }) => length > 0));
  return path[0] === SLASH ? path : Uint8Array.from([SLASH, ...path]);
}

/** Names with slashes between them. */
export function joined(names: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(names.flatMap((name, index) => (index === 0 ? [...name] : [SLASH, ...name])));
}

// No argument of a command holds a line end, so that it can separate them.
function placeOf(targets: readonly Uint8Array[]): string {
  return targets.map((target) => `\n${Buffer.from(target).toString("latin1")}`).join("");
}

function cwdSteps(directory: Uint8Array, say: Say, when: string | undefined): Step[] {
  const text = directory.length === 0 ? "CWD (a null argument)" : undefined;
  return [
    say({ verb: "CWD", argument: directory, what: "directory" }, "3.2.2", { text, when }),
    when === undefined ? CHANGED : hear(["2"], "250, the directory is changed", when),
  ];
}
