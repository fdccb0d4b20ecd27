import { type CommandLine, UsageError } from "../args/command-line.ts";
import { type CommandName, COMMANDS, type OptionRow, OPTIONS } from "../args/options.ts";
import { type Io, write } from "../terminal/cli-io.ts";

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** Performs `completion`: writes a script that completes command lines in a shell, made from the tables of commands and options. */
export function completion({ operands }: CommandLine, io: Io): Promise<void> {
  const [shell = ""] = operands;
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (!script) throw new UsageError(`completion knows ${Object.keys(SHELLS).join(", ")}`, "completion");
  return write(io.stdout, script());
}

function optionsOf(command: CommandName): readonly OptionRow[] {
  return OPTIONS.filter(({ commands }) => !commands || commands.includes(command));
}

/** Every spelling of an option: `-o`, `--output`, `--no-progress`. */
function spellingsOf({ name, short, negatable }: OptionRow): string[] {
  return [`--${name}`, ...(negatable ? [`--no-${name}`] : []), ...(short === undefined ? [] : [`-${short}`])];
}

function bash(): string {
  const cases = COMMANDS.map(
    ({ name }) => `    ${name}) words="${optionsOf(name).flatMap(spellingsOf).join(" ")}" ;;`,
  );
  return `_anyscheme() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMMANDS.map(({ name }) => name).join(" ")}" -- "$word"))
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

function zsh(): string {
  const commands = COMMANDS.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = COMMANDS.map(({ name }) => {
    const specs = optionsOf(name).flatMap((row) =>
      spellingsOf(row).map((spelling) => {
        const value = row.value === undefined ? "" : `:${quoted(row.value)}:_files`;
        return `'${row.multiple ? "*" : ""}${spelling}[${quoted(row.description)}]${value}'`;
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

function fish(): string {
  const commands = COMMANDS.map(
    ({ name, summary }) =>
      `complete -c anyscheme -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`,
  );
  const options = OPTIONS.map(({ name, short, value, commands: only, description }) => {
    const condition = only ? ` -n '__fish_seen_subcommand_from ${only.join(" ")}'` : "";
    const letter = short === undefined ? "" : ` -s ${short}`;
    return `complete -c anyscheme${condition}${letter} -l ${name}${value === undefined ? "" : " -r"} -d '${quoted(description)}'`;
  });
  return `${[...commands, ...options].join("\n")}\n`;
}

/** A text between the single quotes of a shell; colons and brackets would end a description in zsh. */
function quoted(text: string): string {
  return text.replace(/['[\]:]/g, (character) => (character === "'" ? "’" : character === ":" ? "," : ""));
}
