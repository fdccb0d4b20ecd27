import { spawn } from "node:child_process";
import { findInstalledProgram } from "../programs/find-program-files.ts";
import { requireServerProgramFiles } from "../programs/locate-server.ts";
import { createTemporaryDirectory, removeTemporaryDirectory } from "../temporary-directory.ts";

/** The keys that the test presses when a text appears on the screen. */
export interface KeysAfterScreenText {
  readonly afterText: string;
  readonly keys: string;
}

/** True when `script` of util-linux is installed, which creates a pseudo-terminal. */
export const canCreateTerminal: boolean = findInstalledProgram("script") !== undefined;

/**
 * Runs the University of Minnesota's Gopher+ client in a terminal with a server on 127.0.0.1. The function resolves
 * when the promise `done` has resolved.
 *
 * @throws Error with the text on the screen when the external Gopher client ends early, or does not finish within 10 s.
 */
export async function runGopherClientWithKeystrokes(
  port: number,
  keystrokes: readonly KeysAfterScreenText[],
  done: Promise<unknown>,
): Promise<void> {
  const program = requireServerProgramFiles("gopher");
  // The University of Minnesota's Gopher client reads its settings from the home folder, so the test uses an empty one.
  const home = await createTemporaryDirectory("gopher");
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
      const timer = setTimeout(() => fail("the gopher client did not finish within 10 s"), 10_000);
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
    await removeTemporaryDirectory(home);
  }
}
