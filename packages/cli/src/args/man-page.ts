import { EXIT_CODES } from "../errors/exit-codes.ts";
import { type CommandDefinition, COMMANDS, type OptionDefinition, OPTIONS } from "./options.ts";

/** The manual page `anyscheme(1)`, in the macros of man(7), made from the same tables as the help. */
export function manPage(version: string): string {
  return [
    `.TH ANYSCHEME 1 "" "anyscheme ${version}" "User Commands"`,
    ".SH NAME",
    "anyscheme \\- dereference URLs of every scheme of RFC 1738",
    ".SH SYNOPSIS",
    ...COMMANDS.flatMap(({ name, operands }) => [
      ".br",
      `.B anyscheme ${escapeRoff(name)}`,
      `[\\fIOPTION\\fR\\|.\\|.\\|.] ${escapeRoff(operands)}`.trimEnd(),
    ]),
    ".SH COMMANDS",
    ...COMMANDS.flatMap(commandLines),
    ".SH OPTIONS",
    ...OPTIONS.flatMap((row) => [
      ".TP",
      signature(row),
      escapeRoff(`${row.description}${commandList(row)}.`),
    ]),
    ".SH EXIT STATUS",
    "The exit codes are those of curl(1). With several URLs it is that of the first that failed.",
    ...Object.values(EXIT_CODES)
      .toSorted(([a], [b]) => a - b)
      .flatMap(([exit, meaning]) => [".TP", `.B ${exit}`, escapeRoff(meaning)]),
    ".SH FILES",
    ".TP",
    ".B $XDG_CONFIG_HOME/anyscheme/config.json",
    "Settings: a JSON object with",
    escapeRoff(
      "color, email, gateways (by scheme, a locator or an object with locator and when) and newsServers (a list).",
    ),
    escapeRoff("Where XDG_CONFIG_HOME is not set, it is ~/.config. None of them makes a check weaker."),
    ".SH ENVIRONMENT",
    ".TP",
    ".B NO_COLOR",
    "When it is set and not empty, nothing is coloured.",
    ".TP",
    ".B NNTPSERVER",
    "The news server, where none is named otherwise.",
    ".PP",
    "No variable weakens what is checked.",
    "",
  ].join("\n");
}

function commandLines({ name, operands, summary, notes }: CommandDefinition): string[] {
  const lines = [
    ".TP",
    `\\fB${escapeRoff(name)}\\fR ${escapeRoff(operands)}`.trimEnd(),
    escapeRoff(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
  ];
  for (const note of notes) lines.push(".IP", escapeRoff(note));
  return lines;
}

function signature({ name, short, value, negatable }: OptionDefinition): string {
  const spelling = `\\fB\\-\\-${negatable ? "[no\\-]" : ""}${escapeRoff(name)}\\fR`;
  const operand = value === undefined ? "" : ` \\fI${escapeRoff(value)}\\fR`;
  return `${short === undefined ? "" : `\\fB\\-${short}\\fR, `}${spelling}${operand}`;
}

function commandList({ commands }: OptionDefinition): string {
  return commands ? ` (${commands.join(", ")})` : "";
}

/** A text in which nothing is a request or an escape of roff. */
function escapeRoff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1")
    .replace(/[^\n -~]/gu, (character) => `\\[u${codeOf(character)}]`);
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
