// Bundles what `tsc -b` has built of the command and its packages into dist/anyscheme.cjs. One CommonJS file starts
// faster than ES modules: `get` of 1 KiB by HTTP takes 115 ms, with ESM chunks 141 ms, without a bundle 220 ms (`pnpm
// bench start-up`, Node 24.21).
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("./", import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Loads these modules of Node at the first use of an export. Most commands do not use them, and node:crypto takes 8 ms.
 *
 * @type {import("esbuild").Plugin}
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup(bundler) {
    const filter = /^node:(?:crypto|dns\/promises|fs\/promises|zlib)$/;
    bundler.onResolve({ filter }, ({ path, namespace }) =>
      namespace === "lazy" ? { path, external: true } : { path, namespace: "lazy" },
    );
    bundler.onLoad({ filter, namespace: "lazy" }, ({ path }) => {
      const getters = Object.keys(require(path)).map(
        (name) => `get ${name}() { return require("${path}").${name}; }`,
      );
      return { contents: `module.exports = { ${getters.join(",\n")} };` };
    });
  },
};

/**
 * Escapes characters outside US-ASCII, with which V8 would need twice the memory for the bundle, and 2 ms more.
 *
 * @type {import("esbuild").Plugin}
 */
const asciiText = {
  name: "ascii-text",
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    }));
  },
};

/**
 * Leaves the unbundled command out of the bundle. The bundle runs the unbundled command if the user adds schemes.
 *
 * @type {import("esbuild").Plugin}
 */
const unbundledCommand = {
  name: "unbundled-command",
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/index\.js$/ }, ({ path, importer }) =>
      importer === join(root, "dist/main.js") ? { path, external: true } : undefined,
    );
  },
};

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["dist/main.js"],
  outfile: "dist/anyscheme.cjs",
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node22.19",
  minify: true,
  sourcemap: true,
  legalComments: "none",
  external: ["socks"],
  // CommonJS has no import.meta, and loads modules of Node faster with require() than with import().
  define: { "import.meta.url": "importMetaUrl" },
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  supported: { "dynamic-import": false },
  metafile: true,
  plugins: [unbundledCommand, lazyBuiltins, asciiText],
  logLevel: "warning",
});

// A package that is copied into the bundle requires its licence beside it.
const licences = join(root, "dist/licences");
mkdirSync(licences, { recursive: true });
const bundled = Object.keys(metafile.inputs).map(
  (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
);
for (const folder of new Set(bundled.filter((path) => path !== undefined))) {
  const licence = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
  if (licence === undefined) throw new Error(`${folder} has no licence file`);
  cpSync(join(root, folder, licence), join(licences, `${basename(folder)}.txt`));
}
