import { locateServer } from "../programs/locate-server.ts";

/** A program that reads files written by the command, and the environment that it needs. */
export interface ExternalProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns a shell, or the formatter of manual pages, or undefined where it is missing. */
export function locateExternalProgram(name: "zsh" | "fish" | "groff"): ExternalProgram | undefined {
  const { paths, environment } = locateServer(name);
  const path = paths.get(name);
  return path === undefined ? undefined : { path, environment };
}
