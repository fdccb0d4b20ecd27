import { expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createPlan } from "../../src/scheme/plan.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { defineSyntax, createGenericSyntax } from "../../src/syntax/index.ts";
import { xSampleSyntaxDefinition } from "../syntax/sample-syntax.ts";

/**
 * A grammar for two schemes. Each client registers both, one or none of the schemes. The grammar writes the default
 * port in place of an empty port, and the generic grammar omits an empty port.
 */
const twoSchemeSyntax = defineSyntax({
  ...xSampleSyntaxDefinition,
  schemes: ["x-sample", "x-other"],
  formatUrl: ({ host, path }, escape) => xSampleSyntaxDefinition.formatUrl({ host, port: 7, path }, escape),
});

function createSchemeNamed(name: string): Scheme {
  return {
    name,
    syntax: twoSchemeSyntax,
    plan: (url) => createPlan(url, []),
    access: () => Promise.reject(new Error(name)),
  };
}

it.each<[registered: string[], text: string, written: string]>([
  [["x-sample", "x-other"], "x-sample://h:/", "x-sample://h:7/"],
  [["x-sample"], "x-sample://h:/", "x-sample://h:7/"],
  [
    ["x-other"],
    "x-sample://h:/",
    createGenericSyntax().format(createGenericSyntax().parse("x-sample://h:/")),
  ],
  [[], "x-sample://h:/", createGenericSyntax().format(createGenericSyntax().parse("x-sample://h:/"))],
])("a client with the schemes %j formats the URL %s as %s", (registered, text, written) => {
  const client = createClient({ schemes: registered.map(createSchemeNamed) });
  expect(client.format(twoSchemeSyntax.parse(text))).toBe(written);
});

it("the sample syntax and the generic syntax format a URL differently", () => {
  expect(createGenericSyntax().format(createGenericSyntax().parse("x-sample://h:/"))).not.toBe(
    "x-sample://h:7/",
  );
});
