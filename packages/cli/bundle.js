// Puts the command and the packages of this house that it needs into a few files, dist/anyscheme.cjs and dist/bundle/: loading a
// hundred small modules takes longer than most of what the command does. What others have written stays outside, but for
// basic-ftp, which is no dependency of the command itself.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { withLazyBuiltins } from "./bundling/lazy-builtins.js";
import { housesOf, packed } from "./bundling/packs.js";

const target = "node22.19";
/** What stays outside. */
const others = ["tsyringe", "@abraham/reflection"];
const here = fileURLToPath(new URL("./", import.meta.url));
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
 * The parts of basic-ftp that are used: its door would bring in all of it. What is not among them fails the build.
 *
 * @type {import("esbuild").Plugin}
 */
const partsOfBasicFtp = {
  name: "parts of basic-ftp",
  setup(bundler) {
    bundler.onResolve({ filter: /^basic-ftp$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: "parts",
      pluginData: resolveDir,
      sideEffects: false,
    }));
    bundler.onLoad({ filter: /./, namespace: "parts" }, ({ pluginData }) => ({
      resolveDir: pluginData,
      contents:
        'export { FTPContext } from "basic-ftp/dist/FtpContext.js"; export { parseList } from "basic-ftp/dist/parseList.js";',
    }));
  },
};

/**
 * Has CommonJS, such as basic-ftp, import the modules of Node: in a module there is no `require`. Each export has its name here,
 * so that it can be loaded when it is used.
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
    bundler.onLoad({ filter: /./, namespace: "builtin" }, async ({ path }) => {
      const names = Object.keys(await import(`node:${path}`)).filter((name) => name !== "default");
      return { contents: `export { ${names.join(", ")} } from "node:${path}";` };
    });
  },
};

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
  external: others,
  plugins: [sources, partsOfBasicFtp, builtins],
  write: false,
  metafile: true,
  logLevel: "warning",
});
/** Needed together, in the order in which commands need them. */
const packs = [
  { file: "dist/anyscheme.cjs", roots: ["src/main.ts", "src/errors/exit-codes.ts"] },
  { file: "dist/bundle/reading.cjs", roots: ["src/commands/parse.ts", "../core/src/syntax/index.ts"] },
  {
    file: "dist/bundle/access.cjs",
    roots: ["src/commands/get.ts", "../core/src/client/request.ts", "../core/src/io/socket-reader.ts"],
  },
  {
    file: "dist/bundle/ftp.cjs",
    roots: ["../scheme-ftp/src/index.ts", "../scheme-ftp/src/transfer/retrieve.ts"],
  },
  ...["gopher", "http"].map((name) => ({
    file: `dist/bundle/${name}.cjs`,
    roots: [`../scheme-${name}/src/index.ts`, `../scheme-${name}/src/access.ts`],
  })),
];
const apart = ["ftp/src/url", "gopher/src", "http/src"].map((folder) => `../scheme-${folder}/syntax.ts`);
const houses = housesOf(metafile, { packs, shared: 3, apart });

const files = new Map();
for (const { path: absolute, text } of outputFiles) {
  const path = relative(here, absolute);
  const file = houses.get(path) ?? path;
  if (!files.has(file)) files.set(file, []);
  files.get(file).push({ path, text });
}
// Node 20 reads a CommonJS file in a fraction of the time of a module, and esbuild splits modules only: so each one is translated.
for (const [file, chunks] of files) {
  const needsPlace = chunks.some(({ text }) => text.includes("import.meta.url"));
  const code = await packed(file, chunks, houses, {
    absWorkingDir: here,
    platform: "node",
    target,
    supported: { "dynamic-import": false },
    external: others,
    define: { "import.meta.url": "importMetaUrl" },
    banner: needsPlace
      ? { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' }
      : {},
    logLevel: "warning",
  });
  const { code: small, map } = await transform(withLazyBuiltins(code), {
    platform: "node",
    target,
    minify: true,
    sourcemap: "external",
    sourcefile: `packed/${basename(file)}`,
  });
  mkdirSync(dirname(join(here, file)), { recursive: true });
  writeFileSync(join(here, file), `${small}//# sourceMappingURL=${basename(file)}.map\n`);
  writeFileSync(join(here, `${file}.map`), map);
}

// Whoever passes on what others have written passes on their licence too.
const passedOn = new Set(
  Object.keys(metafile.inputs).flatMap((path) =>
    (/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []).map((folder) => resolve(here, folder)),
  ),
);
for (const folder of passedOn) {
  const name = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`${folder} has no licence to pass on`);
  const licence = readFileSync(new URL(name, pathToFileURL(`${folder}/`)));
  writeFileSync(new URL(`dist/bundle/${basename(folder)}.terms.txt`, import.meta.url), licence);
}

// Chunks are named after what they hold: those of earlier sources would stay for ever. They go last: there is a whole command
// at any time.
const kept = new Set([...files.keys()].flatMap((file) => [basename(file), `${basename(file)}.map`]));
for (const name of readdirSync(join(here, "dist/bundle")))
  if (!kept.has(name) && !name.endsWith(".terms.txt")) rmSync(join(here, "dist/bundle", name));
