import { parseCommandLine } from "./args/command-line.ts";
import { EXIT_CODES } from "./errors/exit-codes.ts";
import { runCommandLine } from "./run-command-line.ts";
import { createProcessIo } from "./terminal/process-io.ts";

const args = process.argv.slice(2);
const processIo = createProcessIo();

/**
 * True when the command line or the configuration file adds modules with URL schemes. An invalid command line, `--help`
 * and `--version` load no modules with URL schemes.
 */
async function hasSchemeModules(): Promise<boolean> {
  try {
    const { optionValues } = parseCommandLine(args);
    // The modules that read the configuration file take 7 ms to load.
    if (optionValues.version || optionValues.help) return false;
    const { listUserSchemeModulePaths } = await import("./config/user-scheme-module-paths.ts");
    return listUserSchemeModulePaths(optionValues, processIo.configFilePath).length > 0;
  } catch {
    return false;
  }
}

async function run(): Promise<number> {
  // The bundle leaves out the module index.js on purpose. An added scheme must have the same @anyscheme/core as the
  // client, because the client compares classes such as AccessError. The bundle contains a copy of @anyscheme/core.
  return (await hasSchemeModules())
    ? (await import("./index.ts")).runCommandLine(args, processIo)
    : runCommandLine(args, processIo);
}

// The code of an added scheme may wait for a promise that never settles. Node.js exits with code 0 when only an
// unsettled promise remains.
const reportUnsettledPromise = (): void => {
  processIo.stderr.stream.write("anyscheme: internal error: the command ended without a result\n");
  process.exitCode = EXIT_CODES.internal.code;
};
process.once("beforeExit", reportUnsettledPromise);

void run().then((exit) => {
  process.off("beforeExit", reportUnsettledPromise);
  // A pending DNS lookup cannot be aborted, so a failed command calls process.exit().
  if (exit !== 0) processIo.stderr.stream.write("", () => process.exit(exit));
});
