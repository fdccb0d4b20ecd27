/** What esbuild writes for `import { connect } from "node:tls"`, on a line of its own. */
const IMPORT = /^var (import_node_\w+) = require\("(node:[\w/]+)"\);$/gm;

/**
 * Loads a module of Node when one of its exports is first used: TLS and all of cryptography take longer than a visit to a server
 * that speaks neither. The lines stay where they are, so that maps of them stay right.
 *
 * @param {string} code in CommonJS, as esbuild writes it without minifying
 */
export function withLazyBuiltins(code) {
  return code.replace(IMPORT, (_, variable, name) => {
    const uses = code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, "g"));
    const getters = [...new Set(Array.from(uses, ([, key]) => key))].map(
      (key) =>
        `get ${key}() { const value = require("${name}").${key}; Object.defineProperty(this, "${key}", { value }); return value; }`,
    );
    return `var ${variable} = { ${getters.join(", ")} };`;
  });
}
