import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

/**
 * Returns the modules that an import of a source loads immediately, as one minified text. A source is a path below
 * `packages/`, such as `scheme-ftp/src/index.ts`. Excludes modules that `import()` loads later, and other packages.
 */
export async function bundleStaticImports(source: string): Promise<string> {
  const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
  const { metafile, outputFiles } = await build({
    absWorkingDir: packages,
    entryPoints: { entry: source },
    outdir: "out",
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    logLevel: "silent",
    platform: "node",
    packages: "external",
    format: "esm",
    target: "node22.19",
  });
  const atOnce = collectImportedOutputs("out/entry.js", metafile);
  return outputFiles
    .filter(({ path }) => atOnce.has(path.slice(packages.length)))
    .map(({ text }) => text)
    .join("\n");
}

/** Returns an output file of esbuild, and the output files that it imports statically, directly or indirectly. */
function collectImportedOutputs(entry: string, { outputs }: Metafile): ReadonlySet<string> {
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && next in outputs) seen.add(next);
    }
  }
  return seen;
}
