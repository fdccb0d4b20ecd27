// The long run: `pnpm fuzz -- --minutes 60 [--seed 1738] [--only FTP]`. Ends with 1 when something was found.
import { parseArgs } from "node:util";
import { createViteServer } from "vitest/node";

const root = new URL("../../", import.meta.url).pathname;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new TypeError("--minutes and --seed take numbers");

// Reads the sources as the tests do.
const server = await createViteServer({
  root,
  configFile: `${root}vitest.config.ts`,
  appType: "custom",
  logLevel: "error",
  optimizeDeps: { noDiscovery: true, include: [] },
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
});
try {
  const { runLong } = await server.ssrLoadModule("/checks/fuzz/long-run.ts");
  const findings = await runLong({ minutes, seed, only: values.only, log: (line) => console.log(line) });
  process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
  await server.close();
}
