import { readFileSync } from "node:fs";
import { checkCommandLine, type CommandLine, parseCommandLine } from "./args/command-line.ts";
import { type CommandHelp, type CommandName, COMMAND_HELP_ENTRIES } from "./args/command-definitions.ts";
import { formatUnknownCommandAdvice } from "./args/option-suggestions.ts";
import type { CommandLineWithSchemes, CommandSchemes } from "./client/command-schemes.ts";
import { UsageError } from "./errors/cli-errors.ts";
import {
  type CliIo,
  type CliOutputStream,
  type FailedUrlOrFileListener,
  writeToOutputStream,
  writeLinesToStderr,
} from "./terminal/cli-io.ts";

/**
 * Runs one command of the command line, such as `get`. Resolves to the exit code for the case that no URL or file has
 * failed. Default: 0.
 */
type CommandRunner = (
  line: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
) => Promise<number | void>;

/**
 * The functions that load the module of each command. A command loads its modules when it runs, so `--version`
 * does not load the client.
 */
const COMMAND_LOADERS: Readonly<Record<CommandName, () => Promise<CommandRunner>>> = {
  get: async () => (await import("./commands/get-command.ts")).runGetCommand,
  ls: async () => (await import("./commands/ls-command.ts")).runLsCommand,
  form: async () => (await import("./commands/form-command.ts")).runFormCommand,
  open: async () => (await import("./commands/open-service-or-mail-command.ts")).runOpenServiceOrMailCommand,
  parse: async () => (await import("./commands/parse-command.ts")).runParseCommand,
  plan: async () => (await import("./commands/plan-command.ts")).runPlanCommand,
  extract: async () => (await import("./commands/extract-command.ts")).runExtractCommand,
  lint: async () => (await import("./commands/lint-command.ts")).runLintCommand,
  schemes: async () => (await import("./commands/schemes-command.ts")).runSchemesCommand,
  completion: async () => (await import("./commands/completion-command.ts")).runCompletionCommand,
  gateway: async () => (await import("./commands/gateway-command.ts")).runGatewayCommand,
};

const COMMAND_NAMES = COMMAND_HELP_ENTRIES.map(({ name }) => name);

/** Runs a command line, whose first operand is the command. Resolves to the exit code and never rejects. */
export async function runCommandLine(args: readonly string[], io: CliIo): Promise<number> {
  const failures: number[] = [];
  let schemeNames: readonly string[] = [];
  let isSilent = false;
  // After an unknown option, no command line has been parsed, so the arguments are searched for the command.
  const commandName = COMMAND_NAMES.find((name) => name === args.find((arg) => !arg.startsWith("-")));
  const onFailure = async (error: unknown, text?: string): Promise<void> => {
    const { formatErrorReport } = await import("./errors/error-report.ts");
    const shown = error instanceof UsageError ? error.withCommand(commandName) : error;
    const { lines, exitCode } = formatErrorReport(shown, text, io.stderr.columns, schemeNames);
    if (!isSilent) writeLinesToStderr(io, lines);
    failures.push(exitCode);
  };
  let result: number | void = 0;
  try {
    const line = parseCommandLine(args);
    isSilent = line.optionValues.silent ?? false;
    const text = await formatRequestedText(line, io.stdout);
    if (text !== undefined) await writeToOutputStream(io.stdout, text);
    else {
      const definition = findCommandDefinition(line);
      const schemes = await loadSchemesOfCommand(definition, line, io);
      schemeNames = schemes.names;
      result = await runCommand(definition, { ...line, schemes }, io, onFailure);
    }
  } catch (error) {
    await onFailure(error);
  }
  return failures[0] ?? result ?? 0;
}

/** Returns the text for the options `--version` and `--help` and for the word `help`, or `undefined`. */
async function formatRequestedText(
  { command, operands, optionValues }: CommandLine,
  { columns }: CliOutputStream,
): Promise<string | undefined> {
  if (optionValues.version) return `anyscheme ${readVersion()}\n`;
  if (!optionValues.help && command !== "help") return undefined;
  const topic = command === "help" ? operands[0] : command;
  if (topic === "man") return (await import("./args/man-page.ts")).formatManPage(readVersion());
  return (await import("./args/help.ts")).formatHelp(topic, columns);
}

/** Returns the definition of the command, and checks the operands and the options. Throws `UsageError`. */
function findCommandDefinition(line: CommandLine): CommandHelp {
  const { command } = line;
  if (command === undefined) throw new UsageError("no command");
  const definition = COMMAND_HELP_ENTRIES.find(({ name }) => name === command);
  // The message does not repeat the URL, because the URL may contain a password.
  if (!definition)
    throw new UsageError(
      /[:/.]/.test(command)
        ? "the command is missing before the URL; try: anyscheme get URL"
        : [`unknown command ${command}`, formatUnknownCommandAdvice(command, COMMAND_NAMES)]
            .filter(Boolean)
            .join("; "),
    );
  checkCommandLine(definition, line);
  return definition;
}

async function loadSchemesOfCommand(
  { name }: CommandHelp,
  { optionValues }: CommandLine,
  io: CliIo,
): Promise<CommandSchemes> {
  const { CommandSchemes, loadCommandSchemes } = await import("./client/command-schemes.ts");
  return name === "completion" ? new CommandSchemes() : loadCommandSchemes(optionValues, io);
}

async function runCommand(
  definition: CommandHelp,
  line: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
): Promise<number | void> {
  const { schemes } = line;
  const start = await COMMAND_LOADERS[definition.name]();
  let completed: CommandLine = line;
  try {
    if (definition.operandSyntax.startsWith("URL")) {
      // The command parse shows the faults of a URL, and a zone is a fault.
      const { extractZoneFromOperandUrls } = await import("./urls/link-local-zone.ts");
      completed = definition.name === "parse" ? line : extractZoneFromOperandUrls(line);
      const { addMissingUrlSchemes } = await import("./urls/add-missing-schemes.ts");
      completed = addMissingUrlSchemes(completed, schemes.names, io);
      if (line.optionValues["input-file"] !== undefined)
        completed = await (await import("./urls/input-file.ts")).addUrlsOfInputFile(completed, io);
    }
    return await start({ ...completed, schemes }, io, onFailure);
  } catch (error) {
    await onFailure(error, completed.operands[0] ?? "");
  }
}

function readVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
