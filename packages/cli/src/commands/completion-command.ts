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

function formatBashCompletion(): string {
  const cases = COMMAND_HELP_ENTRIES.map(
    ({ name }) =>
      `    ${name}) words="${findOptionsOfCommand(name).flatMap(listOptionSpellings).join(" ")}" ;;`,
  );
  return `_anyscheme() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMMAND_HELP_ENTRIES.map(({ name }) => name).join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _anyscheme anyscheme
`;
}

function formatZshCompletion(): string {
  const commands = COMMAND_HELP_ENTRIES.map(
    ({ name, summary }) => `    '${name}:${escapeForShell(summary)}'`,
  );
  const cases = COMMAND_HELP_ENTRIES.map(({ name }) => {
    const specs = findOptionsOfCommand(name).flatMap((row) =>
      listOptionSpellings(row).map((spelling) => {
        const value =
          row.valueName === undefined || spelling.startsWith("--no-")
            ? ""
            : `:${escapeForShell(row.valueName)}:_files`;
        return `'${row.isRepeatable ? "*" : ""}${spelling}[${escapeForShell(row.description)}]${value}'`;
      }),
    );
    return `    ${name}) _arguments ${[...specs, "'*:file or URL:_files'"].join(" ")} ;;`;
  });
  return `#compdef anyscheme
_anyscheme() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _anyscheme anyscheme
`;
}

function formatFishCompletion(): string {
  const commands = COMMAND_HELP_ENTRIES.map(
    ({ name, summary }) =>
      `complete -c anyscheme -n __fish_use_subcommand -f -a ${name} -d '${escapeForShell(summary)}'`,
  );
  const options = OPTION_DEFINITIONS.map(({ name, shortName, valueName, commands: only, description }) => {
    const condition = only ? ` -n '__fish_seen_subcommand_from ${only.join(" ")}'` : "";
    const letter = shortName === undefined ? "" : ` -s ${shortName}`;
    return `complete -c anyscheme${condition}${letter} -l ${name}${valueName === undefined ? "" : " -r"} -d '${escapeForShell(description)}'`;
  });
  return `${[...commands, ...options].join("\n")}\n`;
}

/**
 * Replaces or removes the characters that would end a string in single quotes, and the colons and brackets, which would
 * end a description in zsh.
 */
function escapeForShell(text: string): string {
  return text.replace(/['[\]:]/g, (character) => (character === "'" ? "’" : character === ":" ? "," : ""));
}
