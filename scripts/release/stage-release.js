// Writes the published files of the package in the current folder to `.stage/`. `pnpm pack` starts this script. The
// entry points keep their names, and the modules that they load are bundled into a few files. Finding a module takes
// Node.js longer than reading it, and an import of core loaded fifty of them. The published declaration files (.d.ts)
// are those that `tsc` writes, one for each source file.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";

/** The fields of a manifest that only this repository needs. */
const UNPUBLISHED_FIELDS = new Set(["scripts", "devDependencies", "publishConfig"]);

const whole = JSON.parse(readFileSync("package.json", "utf8"));
const manifest = Object.fromEntries(
  Object.entries(whole).filter(([field]) => !UNPUBLISHED_FIELDS.has(field)),
);
const { access, directory: stage } = whole.publishConfig;
const entries = Object.values(manifest.exports).flatMap((target) => target.default ?? []);
if (!entries.every((entry) => existsSync(entry))) {
  throw new Error(`${manifest.name} has no build to lay out: run \`pnpm build\` first`);
}
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage);

const copy = (path, filter) => cpSync(path, join(stage, path), { recursive: true, filter });

/**
 * The declaration files (.d.ts) that an entry point imports directly or indirectly. Declaration files that no entry
 * point imports are not published.
 */
const declared = new Set();
function declare(path) {
  if (declared.has(path)) return;
  declared.add(path);
  for (const [, target] of readFileSync(path, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g))
    declare(join(dirname(path), target.replace(/\.[jt]s$/, ".d.ts")));
}
for (const { types } of Object.values(manifest.exports)) if (types) declare(join(types));
copy("dist", (path) =>
  /\.d\.ts(?:\.map)?$/.test(path)
    ? declared.has(path.replace(/\.map$/, ""))
    : !/\.js(?:\.map)?$|tsbuildinfo$/.test(path),
);
copy("src");
copy("README.md");
for (const path of manifest.files) if (!/dist|src/.test(path)) copy(path);
cpSync(new URL("../../LICENSE", import.meta.url), join(stage, "LICENSE"));

const sources = entries.map((entry) => entry.replace("./dist/", "src/").replace(/\.js$/, ".ts"));

/** Returns the folder of the scheme, or of the whole package, whose modules are loaded together. */
function schemeFolderOf(path) {
  for (let folder = dirname(path); folder !== "src"; folder = dirname(folder)) {
    if (sources.includes(`${folder}/tsyringe.ts`)) return folder;
  }
  return "src";
}

const isPure = (path) => /\/syntax(?:\/|\.ts$)/.test(path);

// Modules that `import()` loads later process received bytes, so their bundles also include io/. Only tests need
// testing/.
const ALWAYS = /^src\/(?!testing\/|syntax\/|io\/)(?:[^/]+\/)?index\.ts$/;
const ALWAYS_LATER = /^src\/(?!testing\/|syntax\/)(?:[^/]+\/)?index\.ts$/;
// Bundles for browsers must contain only modules without I/O, which are those in syntax/.
const ALWAYS_PURE = /^src\/syntax\/[^/]+\.ts$/;

/**
 * Returns the modules that belong in one file with a module. These companion modules are loaded together with that
 * module, or are small.
 */
function companionsOf(path) {
  const folder = schemeFolderOf(path);
  const always = isPure(path) ? ALWAYS_PURE : later.has(path) ? ALWAYS_LATER : ALWAYS;
  return sources.filter(
    (source) => source !== path && schemeFolderOf(source) === folder && always.test(source),
  );
}

/** Modules that are loaded later, by `import()`. */
const later = new Set(
  readdirSync("src", { recursive: true })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) =>
      [...readFileSync(join("src", path), "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, target]) =>
        join("src", dirname(path), target),
      ),
    ),
);

/**
 * Makes each entry point and each module that is loaded later import the modules that belong in one file with it.
 * esbuild creates a file for every set of modules with the same importers, so fewer sets mean fewer files.
 *
 * @type {import("esbuild").Plugin}
 */
const companions = {
  name: "companions",
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, ({ path: absolute }) => {
      const path = relative(resolve(stage), absolute);
      if (!sources.includes(path) && !later.has(path)) return undefined;
      const imports = companionsOf(path).map((each) => `import ${JSON.stringify(resolve(stage, each))};\n`);
      return { contents: `${readFileSync(absolute, "utf8")}\n${imports.join("")}`, loader: "ts" };
    });
  },
};

/**
 * Replaces the exact versions of the catalog by ranges, so that a program gets a corrected dependency. The version of
 * undici stays exact, because the handlers of its dispatchers change between versions.
 */
function withVersionRanges(dependencies = {}) {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, specifier]) => {
      if (specifier !== "catalog:" || name === "undici") return [name, specifier];
      const { version } = JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
      return [name, `^${version}`];
    }),
  );
}

const write = (fields) => writeFileSync(join(stage, "package.json"), `${JSON.stringify(fields, null, 2)}\n`);
// This manifest has no `sideEffects: false`, with which esbuild would drop the imports that the plugin `companions`
// adds.
write({ type: manifest.type });
await build({
  // The source maps must refer to the copies of the sources in `.stage/`.
  absWorkingDir: resolve(stage),
  entryPoints: sources,
  outbase: "src",
  outdir: "dist",
  plugins: [companions],
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node22.19",
  // A shared file of the bundle (chunk) is in the same folder depth as an entry point, so that `../package.json` is the
  // same file for both.
  chunkNames: "chunk-[hash]",
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: "none",
  logLevel: "warning",
});
write({ ...manifest, dependencies: withVersionRanges(manifest.dependencies), publishConfig: { access } });
