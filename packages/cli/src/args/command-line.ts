import { parseArgs } from "node:util";
import { type CommandDefinition, type OptionDefinition, OPTIONS, type OptionValues } from "./options.ts";

/** What the command line asks for. */
export interface CommandLine {
  /** The first operand, which names the command. */
  readonly command: string | undefined;
  readonly operands: readonly string[];
  readonly values: OptionValues;
}

/** A command line that cannot be understood, or an option that has a wrong value. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

/** Reads the arguments by the table. Throws `UsageError` for options that are not in it. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const options = Object.fromEntries(
    OPTIONS.map((row) => [
      row.name,
      {
        type: row.value === undefined ? ("boolean" as const) : ("string" as const),
        ...(row.short === undefined ? {} : { short: row.short }),
        ...(row.multiple ? { multiple: true } : {}),
      },
    ]),
  );
  const { positionals, values, tokens } = parse({
    args: [...args],
    options,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option" || !token.rawName.startsWith("--no-")) continue;
    if (!findOption(token.name)?.negatable) throw new UsageError(`there is no option ${token.rawName}`);
  }
  const [command, ...operands] = positionals;
  return { command, operands, values };
}

/** Checks that every option given belongs to the command, and the number of operands. Throws `UsageError`. */
export function checkCommandLine(row: CommandDefinition, { operands, values }: CommandLine): void {
  for (const name of Object.keys(values)) {
    const commands = findOption(name)?.commands;
    if (commands && !commands.includes(row.name))
      throw new UsageError(`${row.name} has no option --${name}`, row.name);
  }
  const [least, most] = row.operandCount;
  const operand = row.operands.startsWith("URL") ? "URL" : `of ${row.operands.split("|").join(", ")}`;
  if (operands.length < least)
    throw new UsageError(`${row.name} needs ${operand === "URL" ? "a URL" : `one ${operand}`}`, row.name);
  if (operands.length > most)
    throw new UsageError(`${row.name} takes ${most === 0 ? "no operands" : `one ${operand}`}`, row.name);
}

function findOption(name: string): OptionDefinition | undefined {
  return OPTIONS.find((row) => row.name === name);
}

// The first sentence of Node's message names the option; the rest explains "--" and is not for everybody.
const parse: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(/\. |\.$/);
    throw new UsageError(sentence.charAt(0).toLowerCase() + sentence.slice(1));
  }
};
