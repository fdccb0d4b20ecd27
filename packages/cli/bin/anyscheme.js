#!/usr/bin/env node
// Stands in the sources, so that the command can be linked before it is built.
import "../dist/main.js";
