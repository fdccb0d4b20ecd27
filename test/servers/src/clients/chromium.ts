import { delimiter, join } from "node:path";
import { requireServer } from "../programs/locate.ts";

/** What it takes to start the headless browser; whoever drives it starts it. */
export interface ChromiumProgram {
  readonly path: string;
  /** What it needs in its environment beyond the usual. */
  readonly environment: Readonly<Record<string, string>>;
  /** No sandbox, which needs privileges; no graphics; nothing that would go to the network by itself. */
  readonly flags: readonly string[];
}

/**
 * The browser that is known to be here.
 *
 * @throws Error when it is missing; its message says how to get it.
 */
export function chromiumProgram(): ChromiumProgram {
  const files = requireServer("chromium");
  return {
    path: files.path("chromium/chromium-headless-shell"),
    environment: withPulseAudio(files.environment),
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

/** A library of PulseAudio looks for another one in a folder of its own, by the path where it would be installed. */
function withPulseAudio(environment: Readonly<Record<string, string>>): Record<string, string> {
  const { LD_LIBRARY_PATH: libraries } = environment;
  if (libraries === undefined) return { ...environment };
  const folders = libraries.split(delimiter);
  const all = [...folders, ...folders.map((folder) => join(folder, "pulseaudio"))];
  return { ...environment, LD_LIBRARY_PATH: all.join(delimiter) };
}
