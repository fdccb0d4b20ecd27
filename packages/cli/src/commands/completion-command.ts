import type { CommandLine } from "../args/command-line.ts";
import { type CommandName, COMMAND_HELP_ENTRIES } from "../args/command-definitions.ts";
import { type OptionDefinition, OPTION_DEFINITIONS } from "../args/options.ts";
import { type CliIo, writeToOutputStream } from "../terminal/cli-io.ts";
import { UsageError } from "../errors/cli-errors.ts";

const COMPLETION_FORMATTERS: Readonly<Record<string, () => string>> = {
  bash: formatBashCompletion,
  zsh: formatZshCompletion,
  fish: formatFishCompletion,
};

/**
 * Runs the command `completion`, which prints a completion script for a shell. The script is generated from the
 * tables of commands and options.
 */
export function runCompletionCommand({ operands }: CommandLine, io: CliIo): Promise<void> {
  const [shell = ""] = operands;
  const script = Object.hasOwn(COMPLETION_FORMATTERS, shell) ? COMPLETION_FORMATTERS[shell] : undefined;
  if (!script)
    throw new UsageError(
      `completion needs one of ${Object.keys(COMPLETION_FORMATTERS).join(", ")}`,
      "completion",
    );
  return writeToOutputStream(io.stdout, script());
}

function findOptionsOfCommand(command: CommandName): readonly OptionDefinition[] {
  return OPTION_DEFINITIONS.filter(({ commands }) => !commands || commands.includes(command));
}

/** Returns all spellings of an option, such as `-o` and `--output`, or `--progress` and `--no-progress`. */
function listOptionSpellings({ name, shortName, isNegatable }: OptionDefinition): string[] {
  return [
    `--${name}`,
    ...(isNegatable ? [`--no-${name}`] : []),
    ...(shortName === undefined ? [] : [`-${shortName}`]),
  ];
}

const COMMAND_NAMES = COMMAND_HELP_ENTRIES.map(({ name }) => name).join(" ");
const SHELL_NAMES = Object.keys(COMPLETION_FORMATTERS).join(" ");

function formatBashCompletion(): string {
  const cases = COMMAND_HELP_ENTRIES.map(({ name }) => {
    const values = name === "completion" ? ` values="${SHELL_NAMES}"` : "";
    return `    ${name}) words="${findOptionsOfCommand(name).flatMap(listOptionSpellings).join(" ")}"${values} ;;`;
  });
  const choices = OPTION_DEFINITIONS.flatMap((row) =>
    row.choices ? `    ${listOptionSpellings(row).join(" | ")}) values="${row.choices.join(" ")}" ;;` : [],
  );
  return `_anyscheme() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" values="" file
  COMPREPLY=()
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    --help | -h) values="${COMMAND_NAMES}" ;;
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="--help --version"
    values="${COMMAND_NAMES}"
  fi
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  elif [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  else
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _anyscheme anyscheme
`;
}

function formatZshCompletion(): string {
  const commands = COMMAND_HELP_ENTRIES.map(
    ({ name, summary }) => `    ${quoteForShell(`${name}:${escapeForZsh(summary)}`)}`,
  );
  const options = OPTION_DEFINITIONS.filter(({ name }) => name === "help" || name === "version").map(
    ({ name, description }) => `    ${quoteForShell(`--${name}:${escapeForZsh(description)}`)}`,
  );
  const cases = COMMAND_HELP_ENTRIES.map(({ name }) => {
    const specs = findOptionsOfCommand(name).flatMap(formatZshOptionSpecs);
    const operands = name === "completion" ? `'1:shell:(${SHELL_NAMES})'` : "'*:file or URL:_files'";
    return `    ${name}) _arguments ${[...specs, operands].join(" ")} ;;`;
  });
  return `#compdef anyscheme
_anyscheme() {
  local -a commands options
  commands=(
${commands.join("\n")}
  )
  options=(
${options.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands -- options
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
    --help | -h) _describe command commands ;;
  esac
}
compdef _anyscheme anyscheme
`;
}

/** Returns the specifications of all spellings of an option, for the function `_arguments` of zsh. */
function formatZshOptionSpecs(row: OptionDefinition): string[] {
  const { valueName, choices, isRepeatable, description } = row;
  const action = choices ? `(${choices.join(" ")})` : "_files";
  const value = valueName === undefined ? "" : `:${valueName.replaceAll(":", "\\:")}:${action}`;
  return listOptionSpellings(row).map((spelling) =>
    quoteForShell(
      `${isRepeatable ? "*" : ""}${spelling}[${escapeForZsh(description)}]${spelling.startsWith("--no-") ? "" : value}`,
    ),
  );
}

/** Escapes the characters that have a meaning in a description of zsh. */
function escapeForZsh(text: string): string {
  return text.replace(/[\\[\]:]/g, "\\$&");
}

/** Quotes a text for a POSIX shell and for zsh. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function formatFishCompletion(): string {
  const commands = COMMAND_HELP_ENTRIES.map(
    ({ name, summary }) =>
      `complete -c anyscheme -n __fish_use_subcommand -f -a ${name} -d ${quoteForFish(summary)}`,
  );
  const shells = `complete -c anyscheme -n '__fish_seen_subcommand_from completion' -f -a ${quoteForFish(SHELL_NAMES)}`;
  const options = OPTION_DEFINITIONS.flatMap((row) => {
    const { valueName, choices, commands: only, description } = row;
    const condition = only ? ` -n '__fish_seen_subcommand_from ${only.join(" ")}'` : "";
    return listOptionSpellings(row).map((spelling) => {
      const isLong = spelling.startsWith("--");
      const flag = isLong ? `-l ${spelling.slice(2)}` : `-s ${spelling.slice(1)}`;
      const isFlag = valueName === undefined || spelling.startsWith("--no-");
      const value = isFlag ? "" : choices ? ` -x -a ${quoteForFish(choices.join(" "))}` : " -r";
      return `complete -c anyscheme${condition} ${flag}${value} -d ${quoteForFish(description)}`;
    });
  });
  return `${[...commands, shells, ...options].join("\n")}\n`;
}

/** Quotes a text for fish, in which single quotes contain escapes. */
function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
