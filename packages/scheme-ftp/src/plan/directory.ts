import type { Step } from "@anyscheme/core";
import type { PlanOptions } from "@anyscheme/core/plugin";
import type { CwdStrategy, FtpOptions } from "../options.ts";
import { commandStep, expectReply } from "./commands.ts";
import type { DirectoryRoute } from "./phases.ts";

const ADAPTIVE: readonly CwdStrategy[] = ["multicwd", "singlecwd", "absolute"];

const SLASH = 0x2f;

/** Returns one route for each strategy that the settings allow. RFC 1738 §3.2.2. */
export function directoryRoutes(
  directories: readonly Uint8Array[],
  { cwdStrategy = "multicwd" }: FtpOptions,
  options: PlanOptions,
): DirectoryRoute[] {
  const allowed = cwdStrategy === "adaptive" ? ADAPTIVE : [cwdStrategy];
  // The first strategy suffices for a URL without directories: the server has no command to refuse.
  const strategies = directories.length === 0 ? allowed.slice(0, 1) : allowed;
  return strategies.map((strategy, index) => {
    const targets = CWD_ARGUMENTS[strategy](directories);
    const onReply = index === 0 ? undefined : "5";
    const steps = targets.flatMap((target) => cwdSteps(target, options, onReply));
    return { strategy, workingDirectory: directoryKey(targets), steps };
  });
}

/** The functions that return the arguments of the CWD commands. */
const CWD_ARGUMENTS: Readonly<
  Record<CwdStrategy, (directories: readonly Uint8Array[]) => readonly Uint8Array[]>
> = {
  // "Each of the <cwd> elements is to be supplied, sequentially, as the argument to a CWD (change working directory)
  // command."
  multicwd: (directories) => directories,
  singlecwd: (directories) => (directories.length === 0 ? [] : [joinPath(directories)]),
  absolute: (directories) => [absolutePath(directories)],
};

function absolutePath(directories: readonly Uint8Array[]): Uint8Array {
  const path = joinPath(directories.filter(({ length }) => length > 0));
  return path[0] === SLASH ? path : Uint8Array.from([SLASH, ...path]);
}

/** Joins names with slashes. */
export function joinPath(names: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(names.flatMap((name, index) => (index === 0 ? [...name] : [SLASH, ...name])));
}

// An argument never contains LF, so LF separates the arguments.
function directoryKey(targets: readonly Uint8Array[]): string {
  return targets.map((target) => `\n${Buffer.from(target).toString("latin1")}`).join("");
}

function cwdSteps(argument: Uint8Array, options: PlanOptions, onReply: string | undefined): Step[] {
  const description = argument.length === 0 ? "CWD (a null argument)" : undefined;
  return [
    commandStep({ name: "CWD", argument, argumentName: "directory" }, "3.2.2", options, {
      description,
      onReply,
    }),
    expectReply(["2"], "250, the directory is changed", onReply),
  ];
}
