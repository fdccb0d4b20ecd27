import { run } from "./packed.ts";

/** Returns the built-in modules that Node.js loads for these imports. */
export interface LoadedModules {
  /** Files, each of which costs more than half a millisecond on Node 20, however short it is. */
  readonly files: number;
  /** Their text, in bytes. */
  readonly bytes: number;
  /** Modules of Node, without `node:`. */
  readonly builtins: readonly string[];
}

/** Imports modules in a Node of their own, in the folder of a project. Counts, and measures no time. */
export async function countLoadedModules(project: string, names: readonly string[]): Promise<LoadedModules> {
  const program = `
    import { Session } from "node:inspector";
    const session = new Session();
    session.connect();
    const scripts = [];
    session.on("Debugger.scriptParsed", ({ params }) => scripts.push(params));
    session.post("Debugger.enable");
    const before = new Set(process.moduleLoadList);
    for (const name of ${JSON.stringify(names)}) await import(name);
    const files = scripts.filter(({ url }) => url.includes("/node_modules/"));
    const builtins = process.moduleLoadList.filter((name) => !before.has(name) && /^NativeModule (?!internal)/.test(name));
    console.log(JSON.stringify({
      files: files.length,
      bytes: files.reduce((sum, { length }) => sum + length, 0),
      builtins: builtins.map((name) => name.replace("NativeModule ", "")),
    }));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: project,
  });
  return JSON.parse(stdout) as LoadedModules;
}
