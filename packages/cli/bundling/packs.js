import { basename, dirname, join, relative } from "node:path";
import { build } from "esbuild";

/** A module as esbuild has split it off, its map inside. @typedef {{ path: string, text: string }} Chunk */
/** A file that holds chunks which are needed together. @typedef {{ file: string, roots: readonly string[] }} Pack */

/**
 * Says which file each chunk goes into: the first pack whose roots need it, or else a file of its own. What `apart` needs is needed
 * without the rest of a pack as well, and stays out of all packs but the first `shared` ones.
 *
 * @param {import("esbuild").Metafile} metafile
 * @param {{ packs: readonly Pack[], shared: number, apart: readonly string[] }} plan roots and `apart` are source files
 * @returns {Map<string, string>} the path of a chunk → that of its file
 */
export function housesOf({ outputs }, { packs, shared, apart }) {
  const chunkOf = (source) => {
    const paths = Object.keys(outputs);
    const found =
      paths.find((path) => outputs[path].entryPoint === source) ??
      paths.find((path) => outputs[path].inputs[source]?.bytesInOutput > 0);
    if (found === undefined) throw new Error(`${source} is in no chunk`);
    return found;
  };
  const closureOf = (path, seen) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind } of outputs[path].imports) {
      if (kind === "import-statement" && outputs[next]) closureOf(next, seen);
    }
  };
  const alone = new Set();
  for (const source of apart) closureOf(chunkOf(source), alone);
  const houses = new Map();
  for (const [index, { file, roots }] of packs.entries()) {
    const needed = new Set();
    for (const source of roots) closureOf(chunkOf(source), needed);
    for (const path of needed) {
      if (!houses.has(path) && (index < shared || !alone.has(path))) houses.set(path, file);
    }
  }
  return houses;
}

/**
 * Makes one file of the chunks that live in it: CommonJS, with a namespace of exports for each of them.
 *
 * @param {string} file
 * @param {readonly Chunk[]} chunks
 * @param {Map<string, string>} houses
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<string>} with its map inside
 */
export async function packed(file, chunks, houses, options) {
  const texts = new Map(chunks.map(({ path, text }) => [path, text]));
  const doors = [...texts.keys()].map((path) => `export * as "${path}" from "./${path}";`);
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: doors.join("\n"), sourcefile: `packed/${basename(file)}` },
    outfile: file,
    bundle: true,
    format: "cjs",
    sourcemap: "inline",
    write: false,
    plugins: [
      {
        name: "chunks",
        setup(bundler) {
          bundler.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, namespace }) => {
            const target = namespace === "chunk" ? join(dirname(importer), path) : join(path);
            return texts.has(target)
              ? { path: target, namespace: "chunk" }
              : { path: `chunk:${target}`, external: true };
          });
          bundler.onLoad({ filter: /./, namespace: "chunk" }, ({ path }) => ({ contents: texts.get(path) }));
        },
      },
    ],
  });
  // The lines stay where they are, so that the map stays right.
  return outputFiles[0].text.replace(/require\("chunk:([^"]*)"\)/g, (_, target) => {
    const way = relative(dirname(file), houses.get(target) ?? target);
    return `require("${way.startsWith(".") ? way : `./${way}`}")["${target}"]`;
  });
}
