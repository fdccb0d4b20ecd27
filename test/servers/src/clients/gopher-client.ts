import { spawn } from "node:child_process";
import { findInstalledProgram } from "../programs/find-program-files.ts";
import { requireServer } from "../programs/locate-server.ts";
import { createThrowawayDirectory, removeThrowawayDirectory } from "../throwaway-directory.ts";

/** A text on the screen, and the keys to press when it appears. */
export interface ScreenKeystroke {
  readonly afterText: string;
  readonly keys: string;
}

/** True where `script` of util-linux, which provides a terminal, is installed. */
export const canCreateTerminal: boolean = findInstalledProgram("script") !== undefined;

/**
 * Runs the University of Minnesota's Gopher+ client in a terminal. Its server is on 127.0.0.1. Returns after
 * the last key and `done`.
 *
 * @throws Error with the text on the screen when the client ends early, or does not finish in 10 s.
 */
export async function runGopherClient(
  port: number,
  keystrokes: readonly ScreenKeystroke[],
  done: Promise<unknown>,
): Promise<void> {
  const program = requireServer("gopher");
  // The settings are in the home folder of the user.
  const home = await createThrowawayDirectory("gopher");
  const command = `'${program.path("gopher")}' 127.0.0.1 ${port}`;
  const child = spawn(findInstalledProgram("script") ?? "script", ["-q", "-c", command, "/dev/null"], {
    cwd: home,
    env: { ...process.env, ...program.environment, HOME: home, TERM: "vt100" },
  });
  const left = [...keystrokes];
  let screen = "";
  let seen = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${why}; its screen: ${JSON.stringify(screen)}`));
      const timer = setTimeout(() => fail("the gopher client did nothing"), 10_000);
      child.stdout.on("data", (chunk: Buffer) => {
        screen += chunk.toString("latin1");
        const [next] = left;
        const at = next ? screen.indexOf(next.afterText, seen) : -1;
        if (!next || at < 0) return;
        seen = screen.length;
        left.shift();
        child.stdin.write(next.keys);
      });
      child.once("error", reject);
      child.once("close", () => fail("the gopher client ended"));
      void done.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  } finally {
    child.removeAllListeners("close");
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill();
    await ended;
    await removeThrowawayDirectory(home);
  }
}
