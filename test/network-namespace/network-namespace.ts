import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

/** A network namespace of Linux with its own interfaces. No packet leaves the network namespace. */
export interface NetworkNamespaceRunner {
  /** False where `unshare` or `ip` cannot create the namespace. */
  readonly isAvailable: boolean;
  /** Runs Node.js in the namespace, in the folder of this file, and resolves to its standard output. */
  runNode(...args: readonly string[]): Promise<string>;
}

/**
 * Defines a network namespace whose interfaces the given shell commands configure. Each run creates a new namespace.
 */
export function createNetworkNamespaceRunner(setupCommands: readonly string[]): NetworkNamespaceRunner {
  const createArgs = (command: string): string[] => {
    const script = [...setupCommands, command].join(" && ");
    return ["--user", "--map-root-user", "--net", "sh", "-c", script, process.execPath];
  };
  return {
    isAvailable: spawnSync("unshare", createArgs("true")).status === 0,
    async runNode(...args) {
      const options = { cwd: import.meta.dirname };
      return (await promisify(execFile)("unshare", [...createArgs('exec "$0" "$@"'), ...args], options))
        .stdout;
    },
  };
}
