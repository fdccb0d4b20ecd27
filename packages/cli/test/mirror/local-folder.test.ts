import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LocalFolder, getPartialFileName } from "../../src/mirror/local-folder.ts";
import { createTestFolder } from "../temporary-folder.ts";

it.each<[platform: NodeJS.Platform, names: string[], local: (string | undefined)[]]>([
  ["linux", ["a", "b"], ["a", "b"]],
  ["linux", ["a\u0001b", "a\u0002b", "a_b"], ["a_b", "a_b~2", "a_b~3"]],
  ["linux", ["README", "readme"], ["README", "readme"]],
  ["darwin", ["README", "readme"], ["README", "readme~2"]],
  ["win32", ["con", "_con", "a:b"], ["_con", "_con~2", "a_b"]],
  ["linux", ["..", ".", "", "/", "\\"], [undefined, undefined, undefined, undefined, undefined]],
  ["linux", ["../../etc/passwd", "..\\x", "/etc/shadow"], ["passwd", "x", "shadow"]],
  ["linux", [".x.anyscheme-part"], [".x.anyscheme-part_"]],
  ["linux", ["x".repeat(256), "x".repeat(300)], ["x".repeat(255), `${"x".repeat(253)}~2`]],
  ["linux", ["é".repeat(128)], ["é".repeat(127)]],
  ["linux", [`${"x".repeat(240)}.anyscheme-part`], [`${"x".repeat(240)}.anyscheme-par_`]],
])(
  "getLocalName on the platform %s maps the names %j of the server to the local names %j",
  (platform, names, local) => {
    const folder = new LocalFolder("f", platform);
    expect(names.map((name) => folder.getLocalName(name, "file")?.name)).toEqual(local);
    // The second call for a server's name returns the same local name, and `isRenamed` is false.
    expect(names.map((name) => folder.getLocalName(name, "file")?.name)).toEqual(local);
  },
);

it("LocalFolder returns unique names that stay in the folder", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: "binary", maxLength: 6 }), { maxLength: 12 }),
      fc.constantFrom<NodeJS.Platform>("linux", "darwin", "win32"),
      (names, platform) => {
        const folder = new LocalFolder("f", platform);
        const local = names.flatMap((name) => folder.getLocalName(name, "file")?.name ?? []);
        expect(new Set(local.map((name) => (platform === "linux" ? name : name.toLowerCase()))).size).toBe(
          local.length,
        );
        for (const name of local) expect(name).not.toMatch(/[/\\\p{Cc}]|^\.{0,2}$/u);
      },
    ),
  );
});

it("LocalFolder creates subfolders, and rejects a symbolic link", async () => {
  const path = createTestFolder();
  mkdirSync(join(path, "there"));
  symlinkSync("/tmp", join(path, "link"));
  writeFileSync(join(path, "file"), "");
  const folder = new LocalFolder(path);
  expect((await folder.makeSubfolder("there")).path).toBe(join(path, "there"));
  expect((await folder.makeSubfolder("new")).path).toBe(join(path, "new"));
  await expect(folder.makeSubfolder("link")).rejects.toThrow("the path is a symbolic link");
  await expect(folder.makeSubfolder("file")).rejects.toThrow("a file with the name of the folder exists");
});

it("partialFileName returns a name of at most 255 bytes that is unique for each file", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: "binary", minLength: 1, maxLength: 255 }), { maxLength: 5 }),
      fc.constantFrom("", "n".repeat(239), "é".repeat(120)),
      (ends, beginning) => {
        const names = ends.map((end) => getPartialFileName(`${beginning}${end}`));
        for (const name of names) {
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
          expect(name).toMatch(/^\.[^]*\.anyscheme-part$/);
        }
      },
    ),
  );
  expect(getPartialFileName("n".repeat(241))).not.toBe(getPartialFileName("n".repeat(242)));
  expect(getPartialFileName("a.txt")).toBe(".a.txt.anyscheme-part");
});
