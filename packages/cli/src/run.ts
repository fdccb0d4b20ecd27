import { readFileSync } from "node:fs";
import { checkCommandLine, type CommandLine, parseCommandLine, UsageError } from "./args/command-line.ts";
import { type CommandName, COMMANDS } from "./args/options.ts";
import { type CliIo, writeToStderr, write } from "./terminal/cli-io.ts";

/** Told of a failure after which a command goes on. */
type Failed = (error: unknown, text: string) => Promise<void>;
/** Resolves to its exit code, where nothing failed; without one, that is 0. */
type Command = (line: CommandLine, io: CliIo, onFailure: Failed) => Promise<number | void>;

/** Each command is loaded when it is called. */
const COMMAND_LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  get: async () => (await import("./commands/get.ts")).get,
  ls: async () => (await import("./commands/ls.ts")).ls,
  form: async () => (await import("./commands/form.ts")).form,
  open: async () => (await import("./commands/open.ts")).open,
  parse: async () => (await import("./commands/parse.ts")).parse,
  plan: async () => (await import("./commands/plan.ts")).plan,
  extract: async () => (await import("./commands/extract.ts")).extract,
  lint: async () => (await import("./commands/lint.ts")).lint,
  schemes: async () => (await import("./commands/schemes.ts")).schemes,
  completion: async () => (await import("./commands/completion.ts")).completion,
  gateway: async () => (await import("./commands/gateway.ts")).gateway,
};

/** Runs a command line (without the names of Node and of the program). Resolves to the exit code; never rejects. */
export async function run(args: readonly string[], io: CliIo): Promise<number> {
  const exits: number[] = [];
  let silent = false;
  const onFailure = async (error: unknown, text?: string): Promise<void> => {
    const { createErrorReport: reportOf } = await import("./errors/error-report.ts");
    const { lines, exit } = reportOf(error, text, io.stderr.columns);
    if (!silent) writeToStderr(io.stderr, lines);
    exits.push(exit);
  };
  let answer: number | void = 0;
  let operand: string | undefined;
  try {
    const line = parseCommandLine(args);
    operand = line.operands[0];
    silent = line.values.silent ?? false;
    answer = await runCommand(line, io, onFailure);
  } catch (error) {
    await onFailure(error, operand);
  }
  return exits[0] ?? answer ?? 0;
}

async function runCommand(line: CommandLine, io: CliIo, onFailure: Failed): Promise<number | void> {
  const { command, operands, values } = line;
  if (values.version) return write(io.stdout, `anyscheme ${version()}\n`);
  if (values.help || command === "help") {
    const topic = command === "help" ? operands[0] : command;
    if (topic === "man") return write(io.stdout, (await import("./args/man-page.ts")).manPage(version()));
    const { helpText: helpFor } = await import("./args/help.ts");
    return write(io.stdout, helpFor(topic));
  }
  if (command === undefined) throw new UsageError("there is no command");
  const row = COMMANDS.find(({ name }) => name === command);
  // Not repeated when it may be a URL, which may hold a password.
  if (!row)
    throw new UsageError(
      command.includes(":")
        ? "a command comes before the URL, as in: anyscheme get URL"
        : `there is no command ${command}`,
    );
  checkCommandLine(row, line);
  const perform = await COMMAND_LOADERS[row.name]();
  return perform(line, io, onFailure);
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
