import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { DownloadFolder, getPartialFileName } from "../../src/mirror/download-folder.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

it.each<[platform: NodeJS.Platform, names: string[], local: (string | undefined)[]]>([
  ["linux", ["a", "b"], ["a", "b"]],
  ["linux", ["a\u0001b", "a\u0002b", "a_b"], ["a_b~ac48ab8e", "a_b~c088319f", "a_b"]],
  ["linux", ["README", "readme"], ["README", "readme"]],
  ["darwin", ["README", "readme.txt", "readme"], ["README", "readme.txt", "readme~8cfe5670"]],
  ["win32", ["con.txt", "_con", "a:b"], ["_con~f6299ac8.txt", "_con", "a_b~050c3bf4"]],
  ["linux", ["..", ".", ""], [undefined, undefined, undefined]],
  ["linux", ["dir1\\data.txt", "dir2\\data.txt"], ["dir1_data~53e9193b.txt", "dir2_data~1f175a14.txt"]],
  ["linux", ["../../etc/passwd", "..\\x"], [".._.._etc_passwd~9411a35b", ".._x~71a43ca3"]],
  ["linux", [".x.anyscheme-part"], [".x.anyscheme-part_~5597d13e"]],
  ["linux", ["caf\udce9.txt", "caf\udce8.txt"], ["caf_~da08a581.txt", "caf_~ba880c5f.txt"]],
  ["linux", [`${"x".repeat(252)}.txt`], [`${"x".repeat(242)}~288b053d.txt`]],
  ["linux", ["é".repeat(128)], [`${"é".repeat(123)}~37eb1118`]],
])(
  "getLocalName on the platform %s maps the names %j of the server to the local names %j",
  (platform, names, local) => {
    const folder = new DownloadFolder("f", platform);
    expect(names.map((name) => folder.getLocalName(name, "file")?.name)).toEqual(local);
    // The second call for a server's name returns the same local name.
    expect(names.map((name) => folder.getLocalName(name, "file")?.name)).toEqual(local);
  },
);

it("the result of getLocalName on Linux does not depend on the other names of a listing", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "binary", maxLength: 6 }), { maxLength: 12 }), (names) => {
      const localNames = (listed: readonly string[]): Map<string, string | undefined> => {
        const folder = new DownloadFolder("f", "linux");
        return new Map(listed.map((name) => [name, folder.getLocalName(name, "file")?.name]));
      };
      const all = localNames(names);
      for (const name of names) expect(localNames([name]).get(name)).toBe(all.get(name));
      expect(localNames(names.toReversed())).toEqual(all);
    }),
  );
});

it("DownloadFolder returns unique names that stay in the folder", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: "binary", maxLength: 6 }), { maxLength: 12 }),
      fc.constantFrom<NodeJS.Platform>("linux", "darwin", "win32"),
      (names, platform) => {
        const folder = new DownloadFolder("f", platform);
        const local = names.flatMap((name) => folder.getLocalName(name, "file")?.name ?? []);
        expect(new Set(local.map((name) => (platform === "linux" ? name : name.toLowerCase()))).size).toBe(
          local.length,
        );
        for (const name of local) expect(name).not.toMatch(/[/\\\p{Cc}]|^\.{0,2}$/u);
      },
    ),
  );
});

it("DownloadFolder creates subfolders, and rejects a symbolic link", async () => {
  const path = createTemporaryFolder();
  mkdirSync(join(path, "there"));
  symlinkSync("/tmp", join(path, "link"));
  writeFileSync(join(path, "file"), "");
  const folder = new DownloadFolder(path);
  expect((await folder.makeSubfolder("there")).path).toBe(join(path, "there"));
  expect((await folder.makeSubfolder("new")).path).toBe(join(path, "new"));
  await expect(folder.makeSubfolder("link")).rejects.toThrow("the path is a symbolic link");
  await expect(folder.makeSubfolder("file")).rejects.toThrow("a file with the name of the folder exists");
});

it("getPartialFileName returns a name of at most 255 bytes, and different names for two long names", () => {
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
