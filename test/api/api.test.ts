import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPublishedPackages, repositoryFolder } from "../packaging/published-package-manifests.ts";
import { createApiReport } from "./api-report.ts";

describe("the public API of a package matches its page in docs/api", () => {
  it.each(readPublishedPackages())(
    "docs/api shows the public API of the package $folder",
    async ({ folder, manifest, entryPoints: entries }) => {
      const read = (path: string): string =>
        readFileSync(`${repositoryFolder}packages/${folder}/${path}`, "utf8");
      const report = await createApiReport(manifest.name, entries, read);
      await expect(report).toMatchFileSnapshot(`${repositoryFolder}docs/api/${folder}.md`);
    },
  );
});

describe("the generated page of a public API", () => {
  const files: Readonly<Record<string, string>> = {
    "index.d.ts": 'export { size, type Shape as Form } from "./shape.ts";\nexport * from "./more.ts";\n',
    "shape.d.ts": `import { type Unit } from "./unit.ts";
/** How large. */
export declare function size(shape: Shape): Unit;
export interface Shape { readonly sides: number }
`,
    "more.d.ts": 'export declare const LIMIT = 5;\nexport type { Scheme } from "@anyscheme/core";\n',
    "unit.d.ts": "export type Unit = Inner;\ntype Inner = 'mm' | 'in';\nexport type Unseen = 1;\n",
  };

  function report(changed: Readonly<Record<string, string>> = {}): Promise<string> {
    const all = { ...files, ...changed };
    const entries = [{ name: "x", types: "./index.d.ts", default: "./index.js" }];
    return createApiReport("x", entries, (path) => all[path] ?? "");
  }

  it("the page of an API has the exports of the package and the types that they use", async () => {
    expect(await report()).toBe(`# What x offers

Written by \`pnpm api\`; a test compares it with the build.

## x

\`\`\`ts
// offered as Form
interface Shape {
  readonly sides: number;
}
const LIMIT = 5;
function size(shape: Shape): Unit;
\`\`\`

As in \`@anyscheme/core\`: \`Scheme\`

## Not exported, but part of what is

\`\`\`ts
type Inner = "mm" | "in";
type Unit = Inner;
\`\`\`
`);
  });

  it.each([
    ["a parameter", "shape.d.ts", "shape: Shape", "shape?: Shape"],
    ["a type that an exported type uses", "unit.d.ts", "'in'", "'inch'"],
    ["an exported name", "index.d.ts", "as Form", "as Figure"],
    ["the value of a constant", "more.d.ts", "5", "6"],
  ])("the page of an API changes when %s changes", async (_what, file, from, to) => {
    const text = files[file] ?? "";
    expect(text).toContain(from);
    expect(await report({ [file]: text.replace(from, to) })).not.toBe(await report());
  });

  it.each([
    ["a comment", "shape.d.ts", "How large.", "How big."],
    ["the layout", "shape.d.ts", "{ readonly sides: number }", "{\n\n    readonly sides: number;\n}"],
    ["a type that is not exported", "unit.d.ts", "Unseen = 1", "Unseen = 2"],
  ])("the page of an API does not change when %s changes", async (_what, file, from, to) => {
    const text = files[file] ?? "";
    expect(text).toContain(from);
    expect(await report({ [file]: text.replace(from, to) })).toBe(await report());
  });
});
