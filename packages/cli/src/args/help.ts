import { EXIT_CODES } from "../errors/exit-codes.ts";
import { UsageError } from "./command-line.ts";
import { type CommandDefinition, COMMANDS, OPTIONS, type OptionDefinition } from "./options.ts";

const WIDTH = 80;

/** The help for a topic: a command, `exit`, or everything. Throws `UsageError` for another topic. */
export function helpText(topic: string | undefined): string {
  if (topic === undefined || topic === "help") return overview();
  if (topic === "exit") return exitCodes();
  const row = COMMANDS.find(({ name }) => name === topic);
  if (!row) throw new UsageError(`there is no help on ${topic}`);
  return commandHelp(row);
}

function overview(): string {
  return [
    "usage: anyscheme COMMAND [OPTION…] [URL… | FILE…]",
    "",
    ...formatTable(COMMANDS.map(({ name, operands, summary }) => [`${name} ${operands}`.trim(), summary])),
    "",
    ...formatTable(OPTIONS.map((row) => [signature(row), withCommands(row)])),
    "",
    ...wrapText(
      "Data goes to standard output, all else to standard error. A URL that you type may lead to any address; what it leads to " +
        "may not, unless both are private. When a server wants a password that the URL does not have, it is asked for on the terminal.",
    ),
    "",
  ].join("\n");
}

function commandHelp(row: CommandDefinition): string {
  const options = OPTIONS.filter(({ commands }) => !commands || commands.includes(row.name));
  return [
    `usage: anyscheme ${row.name} [OPTION…] ${row.operands}`.trimEnd(),
    "",
    ...wrapText(`${row.summary.charAt(0).toUpperCase()}${row.summary.slice(1)}.`),
    ...row.notes.flatMap((note) => ["", ...wrapText(note)]),
    "",
    ...formatTable(options.map((option) => [signature(option), option.description])),
    "",
  ].join("\n");
}

function exitCodes(): string {
  const rows = Object.values(EXIT_CODES).toSorted(([a], [b]) => a - b);
  return [
    "The exit codes are curl's. With several URLs it is that of the first that failed.",
    "",
    ...formatTable(rows.map(([exit, meaning]) => [String(exit), meaning])),
    "",
  ].join("\n");
}

function signature({ name, short, value, negatable }: OptionDefinition): string {
  const long = `--${negatable ? "[no-]" : ""}${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? `    ${long}` : `-${short}, ${long}`;
}

function withCommands({ commands, description }: OptionDefinition): string {
  return commands ? `${description} (${commands.join(", ")})` : description;
}

/** Two columns; the second is broken where the line is full. */
function formatTable(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const left = Math.max(...rows.map(([text]) => text.length)) + 2;
  return rows.flatMap(([text, description]) =>
    wrapText(description, WIDTH - left - 2).map(
      (line, index) => `  ${(index === 0 ? text : "").padEnd(left)}${line}`,
    ),
  );
}

function wrapText(text: string, width = WIDTH): string[] {
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
