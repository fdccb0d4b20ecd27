import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  installInEmptyProject,
  type PackedPackage,
  execFileAsync,
} from "../../test/packaging/packed-packages.ts";
import { readPublishedPackages } from "../../test/packaging/published-package-manifests.ts";

/** A program that uses the packages, with type annotations that the compiler checks. */
const TYPED_PROGRAM = `import { createClient, type Client, type Resource } from "@anyscheme/core";
import { ftp, type FtpUrl } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
const client = createClient({ schemes: [ftp(), gopher(), http()] });
const url: FtpUrl = client.parse("ftp://host.example/pub/file;type=i");
const cwd: readonly string[] = url.cwd;
const found = await client.dereference("gopher://host.example/1/");
if (found.kind === "content") await found.saveTo("file");
await client.text("http://host.example/", { headers: new Headers({ accept: "text/html" }) });
// @ts-expect-error -- no resource has this kind
if (found.kind === "nothing") throw new Error();
export const all: [Client, Resource | undefined, readonly string[]] = [client, undefined, cwd];
`;

/** Checks programs that use every entry point of every package, and returns the errors of the compiler. */
export async function checkPublishedTypes(
  command: readonly string[],
  packed: ReadonlyMap<string, PackedPackage>,
  project: string,
): Promise<string | undefined> {
  const archives = [...packed.values()].map(({ archivePath: filename }) => filename);
  await installInEmptyProject(project, [...archives, "tsyringe@4.10.0", "@types/node@22.20.5"], {
    offline: false,
  });
  const names = readPublishedPackages().flatMap(({ entryPoints: entries }) =>
    entries.map(({ name }) => name),
  );
  const everything = names.map((name, index) => `export * as entry${index} from "${name}";`);
  await writeFile(join(project, "everything.ts"), `${everything.join("\n")}\n`);
  await writeFile(join(project, "program.ts"), TYPED_PROGRAM);
  const options = {
    target: "ES2022",
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    module: "NodeNext",
    strict: true,
    noEmit: true,
    // The compiler also checks the declaration files of the packages.
    skipLibCheck: false,
    types: ["node"],
  };
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["everything.ts", "program.ts"] }),
  );
  const [file = "", ...before] = command;
  try {
    await execFileAsync(file, [...before, "-p", project], { cwd: project });
    return undefined;
  } catch (error) {
    const lines = (error as { stdout: string }).stdout.trim().split("\n");
    return `${lines.length} compiler errors: ${lines.slice(0, 5).join(" | ")}`;
  }
}
