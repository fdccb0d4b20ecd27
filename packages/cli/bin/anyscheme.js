#!/usr/bin/env node
// Stands in the sources, so that the command can be linked before it is built.
import module from "node:module";

// From Node 22.1 on, what V8 has made of these files is kept for the next start.
module.enableCompileCache?.();
await import("../dist/anyscheme.js");
