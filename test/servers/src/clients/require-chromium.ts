import { delimiter, join } from "node:path";
import { requireServerProgramFiles } from "../programs/locate-server.ts";

/** The path, the environment and the flags for starting headless Chromium. */
export interface ChromiumProgram {
  readonly path: string;
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The flags that select headless mode, and that disable the GPU, background requests to the network, and the
   * sandbox, which needs privileges.
   */
  readonly flags: readonly string[];
}

/**
 * Returns the path, the environment and the flags of headless Chromium.
 *
 * @throws Error when Chromium is missing. The error message contains the command that installs Chromium.
 */
export function requireChromium(): ChromiumProgram {
  const files = requireServerProgramFiles("chromium");
  return {
    path: files.path("chromium/chromium-headless-shell"),
    environment: addPulseAudioLibraries(files.environment),
    flags: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
}

/**
 * Adds the folder of the PulseAudio libraries to LD_LIBRARY_PATH, because these libraries are in a subfolder.
 */
function addPulseAudioLibraries(environment: Readonly<Record<string, string>>): Record<string, string> {
  const { LD_LIBRARY_PATH: libraries } = environment;
  if (libraries === undefined) return { ...environment };
  const folders = libraries.split(delimiter);
  const all = [...folders, ...folders.map((folder) => join(folder, "pulseaudio"))];
  return { ...environment, LD_LIBRARY_PATH: all.join(delimiter) };
}
