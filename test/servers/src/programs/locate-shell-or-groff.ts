import { locateServerProgramFiles } from "./locate-server.ts";

/** The path of a shell or of groff, and the environment variables that the program needs. */
export interface ProgramPathAndEnvironment {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns the path and the environment of a shell or of groff, or undefined when the program is missing. */
export function locateShellOrGroff(name: "zsh" | "fish" | "groff"): ProgramPathAndEnvironment | undefined {
  const { paths, environment } = locateServerProgramFiles(name);
  const path = paths.get(name);
  return path === undefined ? undefined : { path, environment };
}
