#!/usr/bin/env node
"use strict";
// This file is not built, so that a package manager can link the command before the build.

// The folder of the compile cache must belong to the user: a user who can write to it controls the command.
const { env } = process;
const cache = env["XDG_CACHE_HOME"] || (env["HOME"] && `${env["HOME"]}/.cache`);
if (cache?.startsWith("/")) {
  try {
    require("node:module").enableCompileCache(`${cache}/anyscheme`);
  } catch {
    // Bun and Deno have no compile cache. The command then starts more slowly.
  }
}
require("../dist/anyscheme.cjs");
