import { machineFacts } from "./machine.ts";
import { overheard, summary, type Verdict, verdictsIn } from "./verdicts.ts";

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
  gateway: () => import("./gateway.ts"),
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
  const verdicts: Verdict[] = [];
  for (const [name, load] of Object.entries(benchmarks)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    process.stdout.write(`\n# ${name}\n`);
    try {
      const benchmark = await load();
      verdicts.push(...verdictsIn(name, await overheard(() => benchmark.run())));
    } catch (error) {
      // What one needs may not be here; the others are run all the same.
      process.stderr.write(`${name} has not been run to its end: ${String(error)}\n`);
      process.exitCode = 1;
    }
  }
  process.stdout.write(`\n# goals\n${summary(verdicts)}\n`);
}
