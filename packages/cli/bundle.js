// Puts the command and the packages of this house that it needs into a few files, dist/anyscheme.js and dist/bundle/: loading a hundred small modules
// takes longer than most of what the command does. What others have written stays outside, but for basic-ftp, of which the
// command has no dependency of its own.
import { readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const packages = new URL("../", import.meta.url);

/**
 * Finds `@anyscheme/core/syntax` in the sources of that package, by its `exports`.
 *
 * @type {import("esbuild").Plugin}
 */
const sources = {
  name: "sources",
  setup(bundler) {
    bundler.onResolve({ filter: /^@anyscheme\// }, ({ path }) => {
      const [, name, ...rest] = path.split("/");
      const folder = new URL(`${name}/`, packages);
      const manifest = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
      const target = manifest.exports[["."].concat(rest).join("/")].default;
      const source = target.replace("./dist/", "src/").replace(/\.js$/, ".ts");
      return { path: fileURLToPath(new URL(source, folder)), sideEffects: false };
    });
  },
};

/**
 * Has CommonJS, such as basic-ftp, import the modules of Node: in a module there is no `require`.
 *
 * @type {import("esbuild").Plugin}
 */
const builtins = {
  name: "builtins",
  setup(bundler) {
    bundler.onResolve({ filter: /^[a-z:/]+$/ }, ({ kind, path }) =>
      kind === "require-call" && isBuiltin(path)
        ? { path: path.replace(/^node:/, ""), namespace: "builtin" }
        : undefined,
    );
    bundler.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `export * from "node:${path}";`,
    }));
  },
};

// Chunks are named after what they hold: those of earlier sources would stay for ever.
rmSync(new URL("dist/bundle", import.meta.url), { recursive: true, force: true });
await build({
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  entryPoints: { anyscheme: "src/main.ts" },
  outdir: "dist",
  chunkNames: "bundle/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  legalComments: "none",
  external: ["tsyringe", "@abraham/reflection"],
  plugins: [sources, builtins],
  logLevel: "warning",
});
