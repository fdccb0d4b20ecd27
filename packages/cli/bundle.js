// Puts the command and the packages of this house that it needs into a few files, dist/anyscheme.cjs and dist/bundle/: loading a
// hundred small modules takes longer than most of what the command does. What others have written stays outside, but for
// basic-ftp, which is no dependency of the command itself.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";

const target = "node20.19";
const here = fileURLToPath(new URL(".", import.meta.url));
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
const { outputFiles, metafile } = await build({
  absWorkingDir: here,
  entryPoints: { anyscheme: "src/main.ts" },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  chunkNames: "bundle/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target,
  sourcemap: "inline",
  legalComments: "none",
  external: ["tsyringe", "@abraham/reflection"],
  plugins: [sources, builtins],
  write: false,
  metafile: true,
  logLevel: "warning",
});
// Node 20 reads a CommonJS file in a fraction of the time of a module, and esbuild splits modules only: so each one is translated.
for (const { path, text } of outputFiles) {
  const { code, map } = await transform(text, {
    format: "cjs",
    platform: "node",
    target,
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "importMetaUrl" },
    banner: text.includes("import.meta.url")
      ? 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;'
      : "",
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: "external",
    sourcefile: basename(path),
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
  writeFileSync(`${path}.map`, map);
}

// Whoever passes on what others have written passes on their licence too.
const others = new Set(
  Object.keys(metafile.inputs).flatMap((path) =>
    (/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []).map((folder) => resolve(here, folder)),
  ),
);
for (const folder of others) {
  const name = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`${folder} has no licence to pass on`);
  const licence = readFileSync(new URL(name, pathToFileURL(`${folder}/`)));
  writeFileSync(new URL(`dist/bundle/${basename(folder)}.terms.txt`, import.meta.url), licence);
}
