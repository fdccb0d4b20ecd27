import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const source = (path: string): string => fileURLToPath(new URL(`../packages/${path}`, import.meta.url));

/** The pure rooms, by the names under which they are imported. */
const PURE = {
  "@anyscheme/core/syntax": source("core/src/syntax/index.ts"),
  "@anyscheme/scheme-ftp/syntax": source("scheme-ftp/src/syntax.ts"),
  "@anyscheme/scheme-gopher/syntax": source("scheme-gopher/src/syntax.ts"),
  "@anyscheme/scheme-http/syntax": source("scheme-http/src/syntax.ts"),
};

/**
 * One minified script for a browser, whose exports are the properties of the global `anyscheme`.
 *
 * @throws Error for an import that a browser does not have, such as one of `node:`.
 */
export async function bundle(module: string): Promise<string> {
  const result = await build({
    stdin: { contents: module, loader: "ts", resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    alias: PURE,
    bundle: true,
    minify: true,
    write: false,
    logLevel: "silent",
    platform: "browser",
    format: "iife",
    globalName: "anyscheme",
    target: "es2022",
  });
  return result.outputFiles[0]?.text ?? "";
}

/** The octets that a server sends for a script. */
export function gzipped(script: string): number {
  return gzipSync(script, { level: 9 }).length;
}
