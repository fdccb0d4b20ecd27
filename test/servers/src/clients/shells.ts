import { locateServer } from "../programs/locate.ts";

/** A program that reads files written by the command, and the environment that it needs. */
export interface ReadingProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns a shell, or the formatter of manual pages, or undefined where it is missing. */
export function readingProgram(name: "zsh" | "fish" | "groff"): ReadingProgram | undefined {
  const { paths, environment } = locateServer(name);
  const path = paths.get(name);
  return path === undefined ? undefined : { path, environment };
}
