import { locateServer } from "../programs/locate.ts";

/** A program that reads what the command writes for it, and the environment that it needs. */
export interface ReadingProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A shell, or the formatter of manual pages, where it is on this machine. */
export function readingProgram(name: "zsh" | "fish" | "groff"): ReadingProgram | undefined {
  const { paths, environment } = locateServer(name);
  const path = paths.get(name);
  return path === undefined ? undefined : { path, environment };
}
