// Lays out, in `.stage/`, what is published of the package in whose folder this runs: `pnpm pack` starts it. The entry points have
// the names that they have in the repository, but what they load is put together in a few files. Node takes longer to find a module
// than to read it, and an import of core found fifty. The types are those of `tsc`, one file for each source.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";

/** What only this repository needs of a manifest. */
const OURS = new Set(["scripts", "devDependencies", "publishConfig"]);

const whole = JSON.parse(readFileSync("package.json", "utf8"));
const manifest = Object.fromEntries(Object.entries(whole).filter(([field]) => !OURS.has(field)));
const { access, directory: stage } = whole.publishConfig;
const entries = Object.values(manifest.exports).flatMap((target) => target.default ?? []);
if (!entries.every((entry) => existsSync(entry))) {
  throw new Error(`${manifest.name} has no build to lay out: run \`pnpm build\` first`);
}
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage);

const copy = (path, filter) => cpSync(path, join(stage, path), { recursive: true, filter });

/** The declarations that an entry point leads to; those of rooms that nobody outside sees are left out. */
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

/** The folder of a scheme, or of the whole package: what is in it is loaded together. */
function houseOf(path) {
  for (let folder = dirname(path); folder !== "src"; folder = dirname(folder)) {
    if (sources.includes(`${folder}/register.ts`)) return folder;
  }
  return "src";
}

const isPure = (path) => /\/syntax(?:\/|\.ts$)/.test(path);

// What is loaded later receives bytes, for which it needs what is in io/; no program but a test needs what is in testing/.
const ALWAYS = /^src\/(?!testing\/|syntax\/|io\/)(?:[^/]+\/)?index\.ts$/;
const ALWAYS_LATER = /^src\/(?!testing\/|syntax\/)(?:[^/]+\/)?index\.ts$/;
// All that is pure and nothing else, since browsers ask for it.
const ALWAYS_PURE = /^src\/syntax\/[^/]+\.ts$/;

/** What is loaded with a module anyway, or costs less with it than as a file of its own. */
function companionsOf(path) {
  const house = houseOf(path);
  const always = isPure(path) ? ALWAYS_PURE : later.has(path) ? ALWAYS_LATER : ALWAYS;
  return sources.filter((source) => source !== path && houseOf(source) === house && always.test(source));
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
 * Gives entry points, and modules that are loaded later, their companions: esbuild makes a file for every set of them that needs
 * the same modules, so that the fewer sets there are, the fewer files.
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

const write = (fields) => writeFileSync(join(stage, "package.json"), `${JSON.stringify(fields, null, 2)}\n`);
// Without `sideEffects`, for which esbuild would leave the companions out.
write({ type: manifest.type });
await build({
  // From the copies, since the maps have to lead to these.
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
  // A chunk is as deep as an entry point, so that `../package.json` is the same file for both.
  chunkNames: "chunk-[hash]",
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: "none",
  logLevel: "warning",
});
write({ ...manifest, publishConfig: { access } });
