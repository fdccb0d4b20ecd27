import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const root = new URL("./", import.meta.url).pathname;

/**
 * Maps each workspace package's exports from `dist/*.js` to `src/*.ts`, so that tests run the sources and need no
 * build.
 */
function sourceAliases(): { find: RegExp; replacement: string }[] {
  const folders = [
    ...readdirSync(`${root}packages`).map((name) => `packages/${name}`),
    "test/servers",
    "examples",
  ];
  return folders.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8")) as {
      name: string;
      exports: Record<string, string | { default: string }>;
    };
    return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
      if (typeof target === "string") return [];
      const source = target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts");
      return [
        {
          find: new RegExp(`^${manifest.name}${subpath.slice(1)}$`),
          replacement: `${root}${folder}/${source}`,
        },
      ];
    });
  });
}

export default defineConfig({
  resolve: { alias: sourceAliases() },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "examples/test/**/*.test.ts",
      "test/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    globalSetup: ["test/servers/src/vitest-global-setup.ts"],
    // The default is one worker on two processors: 9 min for the suite instead of 4.5 (Node 24).
    maxWorkers: "100%",
    testTimeout: 20_000,
    hookTimeout: 60_000,
    coverage: { provider: "v8", include: ["packages/*/src/**"] },
  },
});
