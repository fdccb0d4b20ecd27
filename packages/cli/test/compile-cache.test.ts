import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";

const entryScript = readFileSync(new URL("../bin/anyscheme.cjs", import.meta.url), "utf8");
/** The function runs the text of bin/anyscheme.cjs with its parameters `require` and `process`. */
const runEntryScript = compileFunction(entryScript.replace(/^#!.*/, ""), ["require", "process"]) as (
  require: (name: string) => unknown,
  process: { env: Readonly<Record<string, string>> },
) => void;

/**
 * Runs bin/anyscheme.cjs with the given functions instead of those of node:module. Returns the calls of the functions,
 * and the other modules that are loaded, in order.
 */
function listEntryScriptActions(env: Readonly<Record<string, string>>, nodeModule: object): string[] {
  const done: string[] = [];
  const loaded: Readonly<Record<string, unknown>> = {
    "node:module": Object.fromEntries(
      Object.entries(nodeModule).map(([name, value]: [string, (folder: string) => unknown]) => [
        name,
        (folder: string) => (done.push(`${name} ${folder}`), value(folder)),
      ]),
    ),
  };
  const load = (name: string): unknown => {
    if (!(name in loaded)) done.push(`load ${name}`);
    return loaded[name];
  };
  runEntryScript(load, { env });
  return done;
}

const LOAD_COMMAND_ACTION = "load ../dist/anyscheme.cjs";
const moduleWithCompileCache = { enableCompileCache: () => ({ status: 1 }) };

describe("the entry bin/anyscheme.cjs enables the compile cache of Node.js", () => {
  it.each<[env: Record<string, string>, folder: string | undefined]>([
    [{ HOME: "/home/joe" }, "/home/joe/.cache/anyscheme"],
    [{ HOME: "/home/joe", XDG_CACHE_HOME: "/var/joe" }, "/var/joe/anyscheme"],
    [{ HOME: "/home/joe", XDG_CACHE_HOME: "" }, "/home/joe/.cache/anyscheme"],
    // A relative cache folder is ignored, because other users may be able to write to the current folder.
    [{ HOME: "joe" }, undefined],
    [{ HOME: "/home/joe", XDG_CACHE_HOME: "cache" }, undefined],
    [{}, undefined],
  ])(
    "bin/anyscheme.cjs enables the compile cache for the environment %j in the folder %s (undefined: no cache)",
    (env, folder) => {
      const kept = folder === undefined ? [] : [`enableCompileCache ${folder}`];
      expect(listEntryScriptActions(env, moduleWithCompileCache)).toEqual([...kept, LOAD_COMMAND_ACTION]);
    },
  );

  it.each<[what: string, nodeModule: object]>([
    ["enableCompileCache does not exist", {}],
    ["enableCompileCache fails", { enableCompileCache: () => ({ status: 0, message: "EACCES" }) }],
    [
      "enableCompileCache throws",
      {
        enableCompileCache() {
          throw new Error("EACCES");
        },
      },
    ],
  ])("bin/anyscheme.cjs loads the command without a compile cache when %s", (_, nodeModule) => {
    expect(listEntryScriptActions({ HOME: "/home/joe" }, nodeModule).at(-1)).toBe(LOAD_COMMAND_ACTION);
  });
});
