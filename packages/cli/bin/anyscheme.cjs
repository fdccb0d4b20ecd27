#!/usr/bin/env node
"use strict";
// Stands in the sources, so that the command can be linked before it is built.

// From Node 22.1 on, what V8 has made of these files is kept for the next start: below the folder of the person who starts it, since
// whoever can write there decides what runs.
const { versions, env } = process;
const cache = env["XDG_CACHE_HOME"] || (env["HOME"] && `${env["HOME"]}/.cache`);
if (Number.parseInt(versions.node, 10) >= 22 && cache?.startsWith("/")) {
  try {
    require("node:module").enableCompileCache(`${cache}/anyscheme`);
  } catch {
    // It starts without, only later; so it does where there is no such function.
  }
}
require("../dist/anyscheme.cjs");
