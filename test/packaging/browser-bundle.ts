import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const source = (path: string): string => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

const OTHERS = ["file", "mailto", "news", "nntp", "prospero", "telnet", "wais"];

/** The modules without I/O, by the names under which they are imported. */
const PURE = {
  "@anyscheme/core/extract": source("core/src/extract/extract.ts"),
  "@anyscheme/core/reference": source("core/src/syntax/reference.ts"),
  "@anyscheme/core/syntax": source("core/src/syntax/index.ts"),
  "@anyscheme/scheme-ftp/syntax": source("scheme-ftp/src/syntax.ts"),
  "@anyscheme/scheme-gopher/syntax": source("scheme-gopher/src/syntax.ts"),
  "@anyscheme/scheme-http/syntax": source("scheme-http/src/syntax.ts"),
  "@anyscheme/scheme-others/syntax": source("scheme-others/src/syntax.ts"),
  ...Object.fromEntries(
    OTHERS.map((name) => [
      `@anyscheme/scheme-others/${name}/syntax`,
      source(`scheme-others/src/${name}/syntax.ts`),
    ]),
  ),
};

/** The form of a bundle. A script exports to the global `anyscheme`; a module has named exports. */
type Form = "script" | "module";

/**
 * Returns one minified file for a browser.
 *
 * @throws Error for an import that a browser does not have, such as `node:` modules.
 */
export async function bundleForBrowser(module: string, form: Form): Promise<string> {
  const result = await build({
    stdin: { contents: module, loader: "ts", resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
    alias: PURE,
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
