#!/usr/bin/env node
"use strict";
// Stands in the sources, so that the command can be linked before it is built.

// From Node 22.1 on, what V8 has made of these files is kept for the next start.
require("node:module").enableCompileCache?.();
require("../dist/anyscheme.cjs");
