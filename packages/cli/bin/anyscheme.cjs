#!/usr/bin/env node
"use strict";
// Lies among the sources, so that the command can be linked before it is built.

// Node.js keeps the compiled code for the next start. It must lie in a folder of the user: a person who can write there decides
// what runs.
const { env } = process;
const cache = env["XDG_CACHE_HOME"] || (env["HOME"] && `${env["HOME"]}/.cache`);
if (cache?.startsWith("/")) {
  try {
    require("node:module").enableCompileCache(`${cache}/anyscheme`);
  } catch {
    // Without a compile cache the command starts more slowly. Bun and Deno have none.
  }
}
require("../dist/anyscheme.cjs");
