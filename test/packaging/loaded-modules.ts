import { execFileAsync } from "./packed-packages.ts";

/** The modules that Node.js loads for some imports. */
export interface LoadedModuleTotals {
  /**
   * The number of module files that Node.js loads. On Node 24, loading a module file takes more than half a
   * millisecond, regardless of its size.
   */
  readonly files: number;
  /** The total size of the loaded module files, in bytes. */
  readonly bytes: number;
  /** The built-in modules of Node.js, without `node:`. */
  readonly builtins: readonly string[];
}

/**
 * Imports modules in a new Node.js process, in the folder of a project. Counts the loaded modules, and measures no
 * time.
 */
export async function countLoadedModules(
  project: string,
  names: readonly string[],
): Promise<LoadedModuleTotals> {
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
  const { stdout } = await execFileAsync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: project,
  });
  return JSON.parse(stdout) as LoadedModuleTotals;
}
