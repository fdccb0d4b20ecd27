import type { Url, FormResource, FormValue } from "@anyscheme/core";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { openCommandLineClient } from "../client/command-line-client.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { askFormValues } from "../services/ask-form-values.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { writeResourceToOutput } from "./get-command.ts";

/**
 * Runs the command `form`, which prompts for the values of a form, submits the form, and writes the response (RFC
 * 1738 §3.4.5, §3.4.9).
 */
export async function runFormCommand(line: CommandLineWithSchemes, io: CliIo): Promise<void> {
  const [text = ""] = line.operands;
  await using client = await openCommandLineClient(line, io);
  let submitUrl: string | Url = "";
  await client.dereference(toFormUrl(client.parse(text)), async ({ resource, signal }) => {
    if (resource.kind !== "form") throw new UsageError("the URL is not a form", "form");
    submitUrl = fillFormResource(resource, await askFormValues(resource, io, signal));
  });
  await client.dereference(
    submitUrl,
    ({ resource, signal }) => writeResourceToOutput(resource, io.stdout, signal, false),
    { planOptions: { allowForms: true } },
  );
}

function fillFormResource(resource: FormResource, values: Readonly<Record<string, FormValue>>): Url {
  try {
    return resource.fill(values);
  } catch (error) {
    // The method fill() throws a TypeError for an invalid value of a form field, such as a line with a single dot.
    throw error instanceof TypeError ? new UsageError(error.message, "form") : error;
  }
}

/**
 * Returns the URL of the Gopher+ form of an item. Returns a URL that is not of a Gopher item, or that is of a Gopher
 * search, unchanged.
 */
function toFormUrl(url: Url): string | Url {
  const { host, port, type, selector, search, plus } = url.components() as Record<string, string | undefined>;
  const isItem = /^gophers?$/.test(url.scheme) && type !== "7" && (plus === undefined || plus === "+");
  if (!isItem) return url;
  const authority = port === undefined ? host : `${host}:${port}`;
  return `${url.scheme}://${authority}/${type ?? "1"}${selector ?? ""}%09${search ?? ""}%09?`;
}
