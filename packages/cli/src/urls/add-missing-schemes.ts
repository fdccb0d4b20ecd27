import { escapeControls } from "@anyscheme/core/text";
import type { CommandLine } from "../args/command-line.ts";
import { parseGatewaysByScheme } from "../args/gateways-by-scheme.ts";
import { extractSchemeName, guessUrl, isSchemeName, unwrapUrl } from "./guess-url.ts";
import { readConfigFile } from "../config/config-file.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { type CliIo, writeLinesToStderr } from "../terminal/cli-io.ts";

/**
 * Adds a scheme to each operand without a scheme: the scheme of `--proto-default`, or a scheme that the host name
 * suggests. The parameter `schemeNames` has the names of the command's schemes. Reports each guessed URL on standard
 * error. Removes the wrapper of `<URL:…>`. With `--strict`, no scheme is added. Throws `UsageError` for an invalid
 * option.
 */
export function addMissingUrlSchemes(
  line: CommandLine,
  schemeNames: readonly string[],
  io: CliIo,
): CommandLine {
  const { "proto-default": defaultScheme, strict, silent } = line.optionValues;
  if (defaultScheme !== undefined && !isSchemeName(defaultScheme))
    throw new UsageError("--proto-default needs the name of a scheme, as in https", line.command);
  if (defaultScheme !== undefined && strict)
    throw new UsageError("--proto-default and --strict exclude each other", line.command);
  const texts = line.operands.map(unwrapUrl);
  if (strict) return { ...line, operands: texts };
  const operands: string[] = [];
  for (const text of texts) {
    const url = guessUrl(text, schemeNames, defaultScheme);
    if (url === undefined || isSchemeRegistered(extractSchemeName(text.trim()), schemeNames, line, io)) {
      operands.push(text);
      continue;
    }
    operands.push(url);
    if (defaultScheme === undefined && !silent)
      writeLinesToStderr(io, [escapeControls(`guessed ${url}; write the scheme to choose another`)]);
  }
  return { ...line, operands };
}

/** True when the command or a gateway implements the scheme. */
function isSchemeRegistered(
  scheme: string,
  schemeNames: readonly string[],
  { optionValues }: CommandLine,
  { configFilePath }: CliIo,
): boolean {
  if (!isSchemeName(scheme)) return false;
  if (schemeNames.includes(scheme)) return true;
  const gateways = {
    ...readConfigFile(configFilePath).gateways,
    ...parseGatewaysByScheme(optionValues.gateway ?? []),
  };
  return Object.hasOwn(gateways, scheme);
}
