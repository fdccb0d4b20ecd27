import { machineFacts } from "./machine.ts";

/** Every benchmark by its name on the command line. */
const benchmarks: Readonly<Record<string, () => Promise<{ run(): Promise<void> }>>> = {
  syntax: () => import("./syntax.ts"),
  extract: () => import("./extract.ts"),
  file: () => import("./file.ts"),
  ftp: () => import("./ftp.ts"),
  gopher: () => import("./gopher.ts"),
  http: () => import("./http.ts"),
  nntp: () => import("./nntp.ts"),
  wais: () => import("./wais.ts"),
  prospero: () => import("./prospero.ts"),
  "start-up": () => import("./start-up.ts"),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  process.stderr.write(
    `no benchmark ${unknown.join(", ")}; there are: ${Object.keys(benchmarks).join(", ")}\n`,
  );
  process.exitCode = 2;
} else {
  process.stdout.write(`${machineFacts().join("\n")}\n`);
  for (const [name, load] of Object.entries(benchmarks)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    process.stdout.write(`\n# ${name}\n`);
    const benchmark = await load();
    await benchmark.run();
  }
}
