import { UsageError } from "../errors/cli-errors.ts";
import { EXIT_CODES } from "../errors/exit-codes.ts";
import { type CommandHelp, COMMAND_HELP_ENTRIES } from "./command-definitions.ts";
import { type OptionDefinition, OPTION_DEFINITIONS } from "./options.ts";

const MAX_HELP_COLUMNS = 80;
const MIN_HELP_COLUMNS = 30;

/** The width below which a description stands below its option, not beside it. */
const MIN_DESCRIPTION_COLUMNS = 24;

/**
 * Returns the help for a command or for `exit`, or the general help. Throws `UsageError` for an unknown topic. The
 * parameter `columns` is the width of the terminal; the help has at most 80 columns.
 */
export function formatHelp(topic: string | undefined, columns: number): string {
  const width = Math.max(MIN_HELP_COLUMNS, Math.min(MAX_HELP_COLUMNS, columns));
  if (topic === undefined || topic === "help") return formatOverview(width);
  if (topic === "exit") return formatExitCodes(width);
  const definition = COMMAND_HELP_ENTRIES.find(({ name }) => name === topic);
  if (!definition) throw new UsageError(`no help for ${topic}`);
  return formatCommandHelp(definition, width);
}

function formatOverview(width: number): string {
  return [
    "usage: anyscheme COMMAND [OPTION…] [URL… | FILE…]",
    "",
    ...formatTable(
      COMMAND_HELP_ENTRIES.map(({ name, operandSyntax, summary }) => [
        `${name} ${operandSyntax}`.trim(),
        summary,
      ]),
      width,
    ),
    "",
    ...formatTable(
      OPTION_DEFINITIONS.map((option) => [formatOptionSpelling(option), formatOptionDescription(option)]),
      width,
    ),
    "",
    ...wrapText(
      "Data goes to standard output, messages go to standard error. A URL on the command line may name a server with any IP address, except with --public-only. " +
        "The command guesses the scheme of a URL without a scheme, as in example.com/x or localhost:8080/x, and reports the guess. " +
        "--proto-default sets the scheme, and --strict disables the guess. " +
        "Redirects and links of a public server may only refer to public addresses. " +
        "When a server requires a password and the URL has none, the terminal asks for it.",
      width,
    ),
    "",
  ].join("\n");
}

function formatCommandHelp(definition: CommandHelp, width: number): string {
  const { name, operandSyntax, summary, helpParagraphs } = definition;
  const options = OPTION_DEFINITIONS.filter(({ commands }) => !commands || commands.includes(name));
  return [
    `usage: anyscheme ${name} [OPTION…] ${operandSyntax}`.trimEnd(),
    "",
    ...wrapText(formatSentence(summary), width),
    ...helpParagraphs.flatMap((note) => [""].concat(wrapText(note, width))),
    "",
    ...formatTable(
      options.map((option) => [formatOptionSpelling(option), option.description]),
      width,
    ),
    "",
  ].join("\n");
}

/** Capitalizes the first letter of a help text, and adds a full stop. */
export function formatSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function formatExitCodes(width: number): string {
  return [
    ...wrapText(
      "Most exit codes are those of curl. With several URLs, the first failure sets the exit code.",
      width,
    ),
    "",
    ...formatTable(
      Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
      width,
    ),
    "",
  ].join("\n");
}

function formatOptionSpelling({ name, shortName, valueName, isNegatable }: OptionDefinition): string {
  const long = `--${isNegatable ? "[no-]" : ""}${name}${valueName === undefined ? "" : ` ${valueName}`}`;
  return shortName === undefined ? `    ${long}` : `-${shortName}, ${long}`;
}

/** Returns the description of an option with the commands that accept the option. */
export function formatOptionDescription({ commands, description }: OptionDefinition): string {
  return commands ? `${description} (${commands.join(", ")})` : description;
}

/**
 * Formats the rows of a table with two columns, and wraps the text of the second column. In a narrow table, the text of
 * the second column is on the next line.
 */
function formatTable(rows: readonly (readonly [left: string, right: string])[], width: number): string[] {
  const leftWidth = Math.max(...rows.map(([left]) => left.length)) + 2;
  const rightWidth = width - leftWidth - 2;
  if (rightWidth < MIN_DESCRIPTION_COLUMNS)
    return rows.flatMap(([left, right]) => [
      `  ${left}`,
      ...wrapText(right, width - 8).map((line) => `        ${line}`),
    ]);
  return rows.flatMap(([left, right]) =>
    wrapText(right, rightWidth).map(
      (line, index) => `  ${(index === 0 ? left : "").padEnd(leftWidth)}${line}`,
    ),
  );
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
