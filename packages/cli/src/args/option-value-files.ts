import { readFileSync } from "node:fs";
import { formatSystemError, UsageError } from "../errors/cli-errors.ts";
import type { OptionValues } from "./options.ts";

/** Reads the file that the value of an option names. Throws `UsageError` for a file that cannot be read. */
export function readFileNamedByOption(option: keyof OptionValues, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`the file of --${option} cannot be read: ${formatSystemError(error)}: ${path}`);
  }
}

/** Reads the certificates from the file of an option. Throws `UsageError`. */
export function readCaCertificates(
  optionValues: OptionValues,
  option: "cacert" | "proxy-cacert" = "cacert",
): string | undefined {
  const path = optionValues[option];
  return path === undefined ? undefined : readFileNamedByOption(option, path).toString();
}
