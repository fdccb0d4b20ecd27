import { parseArgs } from "node:util";
import { UsageError } from "../errors/cli-errors.ts";
import { type CommandHelp } from "./command-definitions.ts";
import { formatUnknownOptionAdvice } from "./option-suggestions.ts";
import { type OptionDefinition, OPTION_DEFINITIONS, type OptionValues } from "./options.ts";

export interface CommandLine {
  /** The name of the command, which is the first operand. */
  readonly command: string | undefined;
  readonly operands: readonly string[];
  readonly optionValues: OptionValues;
  /** The zone of the link-local addresses in the operands, as in `eth0`. The URLs in `operands` contain no zone. */
  readonly linkLocalZone?: string | undefined;
}

/** Parses the arguments with `util.parseArgs` and the option table. Throws `UsageError` for an invalid option. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const options = Object.fromEntries(
    OPTION_DEFINITIONS.flatMap(({ name, shortName, valueName, isRepeatable, isNegatable }) => [
      [
        name,
        {
          type: valueName === undefined ? ("boolean" as const) : ("string" as const),
          ...(shortName === undefined ? {} : { short: shortName }),
          ...(isRepeatable ? { multiple: isRepeatable } : {}),
        },
      ],
      // `parseArgs` itself accepts `--no-<name>` only for options without a value.
      ...(isNegatable && valueName !== undefined ? [[`no-${name}`, { type: "boolean" as const }]] : []),
    ]),
  );
  const {
    positionals,
    values: optionValues,
    tokens,
  } = parseArgsOrThrow({
    args: [...args],
    options,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option" || !token.rawName.startsWith("--no-")) continue;
    if (!findOptionDefinition(token.name)?.isNegatable)
      throw new UsageError(`unknown option ${token.rawName}`);
  }
  const [command, ...operands] = positionals;
  return { command, operands, optionValues };
}

/** Checks the operands and the options against the definition of the command. Throws `UsageError`. */
export function checkCommandLine(definition: CommandHelp, { operands, optionValues }: CommandLine): void {
  const { name, operandSyntax } = definition;
  if (optionValues.output === "") throw new UsageError("--output needs the path of a file", name);
  for (const option of Object.keys(optionValues)) {
    const commands = findOptionDefinition(option)?.commands;
    if (commands && !commands.includes(name)) throw new UsageError(`${name} has no option --${option}`, name);
  }
  const minimum =
    operandSyntax === "" || operandSyntax.startsWith("[") || optionValues["input-file"] !== undefined ? 0 : 1;
  const maximum = operandSyntax === "" ? 0 : operandSyntax.includes("…") ? Infinity : 1;
  const isUrl = operandSyntax.startsWith("URL");
  const operand = isUrl ? "URL" : `of ${operandSyntax.split("|").join(", ")}`;
  if (isUrl && operands.includes("-"))
    throw new UsageError(
      `- is no URL${name === "get" ? "; --input-file - reads URLs from standard input" : ""}`,
      name,
    );
  if (operands.length < minimum)
    throw new UsageError(`${name} needs ${isUrl ? "a URL" : `one ${operand}`}`, name);
  if (operands.length > maximum)
    throw new UsageError(`${name} takes ${maximum === 0 ? "no operands" : `one ${operand}`}`, name);
}

const OPTION_NAMES = OPTION_DEFINITIONS.map(({ name }) => name);

function findOptionDefinition(name: string): OptionDefinition | undefined {
  return OPTION_DEFINITIONS.find((option) => option.name === name);
}

// The first sentence of the message from Node.js names the invalid option. The error message omits the further
// sentences of Node.js, which explain "--".
const parseArgsOrThrow: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [sentence = ""] = message.split(/\. |\.$/);
    const option = /'(-[^']*)'/.exec(sentence)?.[1];
    const incomplete = /^Option '(?:-\w, )?--([\w-]+) <value>' argument missing/.exec(sentence)?.[1];
    if (incomplete !== undefined)
      throw new UsageError(
        `--${incomplete} needs a value: --${incomplete} ${findOptionDefinition(incomplete)?.valueName ?? ""}`,
      );
    const [, ambiguous, example] =
      /^Option '(-[^']+)' argument is ambiguous\..* starting with a dash use (.*)\.$/s.exec(message) ?? [];
    if (ambiguous !== undefined)
      throw new UsageError(`${ambiguous} needs a value; write a value that begins with a dash as ${example}`);
    const advice =
      code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" && option !== undefined
        ? formatUnknownOptionAdvice(option, OPTION_NAMES)
        : undefined;
    throw new UsageError(
      `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}${advice === undefined ? "" : ` (${advice})`}`,
    );
  }
};
