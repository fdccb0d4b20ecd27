import type { FormResource, FormValue, Url } from "@anyscheme/core";
import { Refusal } from "./status.ts";

/** The URL that sends a form with the values that a page has posted: `f0`, `f1` … in the order of the fields. */
export function filled(form: FormResource, posted: URLSearchParams): Url {
  const values: Record<string, FormValue> = {};
  for (const [index, { name, kind }] of form.fields.entries()) {
    const value = posted.get(`f${index}`);
    if (kind === "note") continue;
    if (kind === "switch") values[name] = value !== null;
    else if (kind === "file") values[name] = new TextEncoder().encode(value ?? "");
    else if (value !== null) values[name] = value.replaceAll("\r\n", "\n");
  }
  try {
    return form.fill(values);
  } catch (error) {
    throw new Refusal(400, error instanceof Error ? error.message : "The form cannot be sent.");
  }
}
