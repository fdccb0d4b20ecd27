import type { Url } from "@anyscheme/core";
import type { FormResource, FormValue } from "@anyscheme/core/plugin";
import { askForm } from "../services/ask-form.ts";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import { openCommandClient } from "../client/command-client.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { writeResource } from "./get.ts";

/** Performs `form`: asks what the form asks, sends the answers, and writes what comes back. RFC 1738 §3.4.5, §3.4.9. */
export async function form({ operands, values }: CommandLine, io: CliIo): Promise<void> {
  const client = await openCommandClient(operands, values, io);
  try {
    for (const text of operands) {
      let filled: Url | undefined;
      await client.dereference(formUrl(client.parse(text)), async ({ resource, signal }) => {
        if (resource.kind !== "form") throw new UsageError("the URL refers to no form", "form");
        filled = fillForm(resource, await askForm(resource, io, signal));
      });
      if (!filled) continue;
      await client.dereference(
        filled,
        ({ resource, signal }) => writeResource(resource, io.stdout, signal, false),
        {
          planOptions: () => ({ allowForms: true }),
        },
      );
    }
  } finally {
    await client.close();
  }
}

function fillForm(resource: FormResource, values: Readonly<Record<string, FormValue>>): Url {
  try {
    return resource.fill(values);
  } catch (error) {
    // What was typed does not fit into a form, as a line of one dot does not.
    throw error instanceof TypeError ? new UsageError(error.message, "form") : error;
  }
}

/** Whoever says "form" means the form of an item, as with the Gopher+ string "?". A search without words is one by itself. */
function formUrl(url: Url): string | Url {
  const { host, port, type, selector, search, plus } = url.components() as Record<string, string | undefined>;
  const isItem = /^gophers?$/.test(url.scheme) && type !== "7" && (plus === undefined || plus === "+");
  if (!isItem) return url;
  const place = port === undefined ? host : `${host}:${port}`;
  return `${url.scheme}://${place}/${type ?? "1"}${selector ?? ""}%09${search ?? ""}%09?`;
}
