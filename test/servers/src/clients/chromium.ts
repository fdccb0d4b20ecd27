import { delimiter, join } from "node:path";
import { requireServer } from "../programs/locate-server.ts";

/** The program, environment and flags for starting the headless browser. */
export interface ChromiumProgram {
  readonly path: string;
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Disables the sandbox, which needs privileges, graphics, and background requests to the network. */
  readonly flags: readonly string[];
}

/**
 * Returns the headless browser.
 *
 * @throws Error when it is missing. Its message has the command that installs it.
 */
export function locateChromium(): ChromiumProgram {
  const files = requireServer("chromium");
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

/** Adds the library folder of PulseAudio, whose libraries otherwise search only the installed path. */
function addPulseAudioLibraries(environment: Readonly<Record<string, string>>): Record<string, string> {
  const { LD_LIBRARY_PATH: libraries } = environment;
  if (libraries === undefined) return { ...environment };
  const folders = libraries.split(delimiter);
  const all = [...folders, ...folders.map((folder) => join(folder, "pulseaudio"))];
  return { ...environment, LD_LIBRARY_PATH: all.join(delimiter) };
}
