import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const sourcePathOf = (path: string): string =>
  fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

const OTHER_SCHEME_NAMES = ["file", "mailto", "news", "nntp", "prospero", "telnet", "wais"];

/** The modules without I/O, by the names under which they are imported. */
const MODULES_WITHOUT_IO = {
  "@anyscheme/core/extract": sourcePathOf("core/src/extract/extract.ts"),
  "@anyscheme/core/reference": sourcePathOf("core/src/syntax/reference.ts"),
  "@anyscheme/core/syntax": sourcePathOf("core/src/syntax/index.ts"),
  "@anyscheme/scheme-ftp/syntax": sourcePathOf("scheme-ftp/src/syntax.ts"),
  "@anyscheme/scheme-gopher/syntax": sourcePathOf("scheme-gopher/src/syntax.ts"),
  "@anyscheme/scheme-http/syntax": sourcePathOf("scheme-http/src/syntax.ts"),
  "@anyscheme/scheme-others/syntax": sourcePathOf("scheme-others/src/syntax.ts"),
  ...Object.fromEntries(
    OTHER_SCHEME_NAMES.map((name) => [
      `@anyscheme/scheme-others/${name}/syntax`,
      sourcePathOf(`scheme-others/src/${name}/syntax.ts`),
    ]),
  ),
};

/** The module format of a browser bundle. A script exports to the global `anyscheme`; a module has named exports. */
type BundleFormat = "script" | "module";

/**
 * Returns one minified file for a browser.
 *
 * @throws Error for an import that a browser does not have, such as `node:` modules.
 */
export async function bundleForBrowser(module: string, form: BundleFormat): Promise<string> {
  const result = await build({
    stdin: { contents: module, loader: "ts", resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
    alias: MODULES_WITHOUT_IO,
    bundle: true,
    minify: true,
    write: false,
    logLevel: "silent",
    platform: "browser",
    ...(form === "script" ? { format: "iife", globalName: "anyscheme" } : { format: "esm" }),
    target: "es2022",
  });
  return result.outputFiles[0]?.text ?? "";
}

/** Returns the number of bytes that a server sends for a file with gzip. */
export function measureGzipBytes(script: string): number {
  return gzipSync(script, { level: 9 }).length;
}
