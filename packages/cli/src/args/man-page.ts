import { EXIT_CODES } from "../errors/exit-codes.ts";
import { type CommandHelp, COMMAND_HELP_ENTRIES } from "./command-definitions.ts";
import { formatOptionDescription, formatSentence } from "./help.ts";
import { type OptionDefinition, OPTION_DEFINITIONS } from "./options.ts";

/**
 * Generates the manual page `anyscheme(1)` from the tables of commands, options and exit codes. The page uses the
 * macros of man(7).
 */
export function formatManPage(version: string): string {
  return [
    `.TH ANYSCHEME 1 "" "anyscheme ${version}" "User Commands"`,
    ".SH NAME",
    "anyscheme \\- dereference URLs of every scheme of RFC 1738",
    ".SH SYNOPSIS",
    ...COMMAND_HELP_ENTRIES.flatMap(({ name, operandSyntax }) => [
      ".br",
      `.B anyscheme ${escapeRoff(name)}`,
      `[\\fIOPTION\\fR\\|.\\|.\\|.] ${escapeRoff(operandSyntax)}`.trimEnd(),
    ]),
    ".SH COMMANDS",
    ...COMMAND_HELP_ENTRIES.flatMap(formatCommandSection),
    ".SH OPTIONS",
    ...OPTION_DEFINITIONS.flatMap((option) => [
      ".TP",
      formatOptionSpelling(option),
      escapeRoff(`${formatOptionDescription(option)}.`),
    ]),
    ".SH EXIT STATUS",
    "Most exit codes are those of curl(1). With several URLs, the first failure sets the exit code.",
    ...Object.values(EXIT_CODES).flatMap(({ code, meaning }) => [".TP", `.B ${code}`, escapeRoff(meaning)]),
    ".SH FILES",
    ".TP",
    ".B $XDG_CONFIG_HOME/anyscheme/config.json",
    "The configuration file contains a JSON object with the settings",
    escapeRoff(
      "color, email, gateways (for each scheme a URL template, or an object with urlTemplate and when), newsServers (a list) and schemes (a list of modules, relative to the file, as for --scheme; their code is executed).",
    ),
    escapeRoff("Without XDG_CONFIG_HOME, the file is in ~/.config. No setting weakens a security check."),
    ".SH ENVIRONMENT",
    ".TP",
    ".B NO_COLOR",
    "Disables colours when the variable is set and not empty.",
    ".TP",
    ".B NNTPSERVER",
    "The default news server.",
    ".TP",
    escapeRoff("http_proxy, https_proxy, ftp_proxy, and so on; all_proxy"),
    "The proxy for URLs of one scheme, or of all schemes. The names may be in upper case, except HTTP_PROXY.",
    ".TP",
    ".B no_proxy",
    "The hosts without a proxy: names, addresses and address blocks, separated by commas. * is every host.",
    ".PP",
    "No environment variable weakens a security check.",
    "",
  ].join("\n");
}

function formatCommandSection({ name, operandSyntax, summary, helpParagraphs }: CommandHelp): string[] {
  const lines = [
    ".TP",
    `\\fB${escapeRoff(name)}\\fR ${escapeRoff(operandSyntax)}`.trimEnd(),
    escapeRoff(formatSentence(summary)),
  ];
  for (const note of helpParagraphs) lines.push(".IP", escapeRoff(note));
  return lines;
}

function formatOptionSpelling({ name, shortName, valueName, isNegatable }: OptionDefinition): string {
  const spelling = `\\fB\\-\\-${isNegatable ? "[no\\-]" : ""}${escapeRoff(name)}\\fR`;
  const operand = valueName === undefined ? "" : ` \\fI${escapeRoff(valueName)}\\fR`;
  return `${shortName === undefined ? "" : `\\fB\\-${shortName}\\fR, `}${spelling}${operand}`;
}

/** Escapes characters that roff interprets, and characters outside US-ASCII. */
function escapeRoff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1")
    .replace(/[^\n -~]/gu, (character) => `\\[u${formatCodePoint(character)}]`);
}

function formatCodePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
