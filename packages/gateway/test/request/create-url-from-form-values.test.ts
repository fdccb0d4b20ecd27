import { type FormField, type FormResource, type FormValue, createClient } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { createUrlOfFilledForm } from "../../src/request/create-url-from-form-values.ts";

const url = createClient({ schemes: [] }).parse("x://h/");

/** Returns the values that a form receives from a posted body. */
function fillForm(
  fields: readonly FormField[],
  body: string,
): Readonly<Record<string, FormValue>> | undefined {
  let received: Readonly<Record<string, FormValue>> | undefined;
  const form = {
    fields,
    fill(values: Readonly<Record<string, FormValue>>) {
      received = values;
      return url;
    },
  };
  createUrlOfFilledForm(form as unknown as FormResource, new URLSearchParams(body));
  return received;
}

describe("createUrlOfFilledForm returns a URL with the values of a form", () => {
  it("createUrlOfFilledForm sets the value of each kind of field, and no value for a field that was not posted", () => {
    const fields: readonly FormField[] = [
      { name: "a", label: "", kind: "text" },
      { name: "b", label: "", kind: "note" },
      { name: "c", label: "", kind: "switch" },
      { name: "d", label: "", kind: "switch" },
      { name: "e", label: "", kind: "long-text" },
      { name: "f", label: "", kind: "text" },
    ];
    expect(fillForm(fields, "f0=1&f1=2&f2=1&f4=x%0D%0Ay")).toEqual({ a: "1", c: true, d: false, e: "x\ny" });
  });

  it("a form of 100 000 fields is filled from a body of 100 000 other values", () => {
    const fields = Array.from({ length: 100_000 }, (_, at): FormField => ({
      name: `n${at}`,
      label: "",
      kind: "text",
    }));
    expect(fillForm(fields, `${"x&".repeat(100_000)}f99999=1`)).toEqual({ n99999: "1" });
  });
});
