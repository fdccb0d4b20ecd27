// `pnpm matrix [-- --only bun --row ftp]`: every package as it would be published, alone in an empty project, on every runtime.
// Ends with 1 when a cell of the table is not as it should be. Needs the registry once: what it installs stays in `.runtimes/`.
import { parseArgs } from "node:util";
import { createViteServer } from "vitest/node";

const root = new URL("../../", import.meta.url).pathname;
const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: { only: { type: "string", default: "" }, row: { type: "string", default: "" } },
});

// Reads the sources as the tests do.
const server = await createViteServer({
  root,
  configFile: `${root}vitest.config.ts`,
  appType: "custom",
  logLevel: "error",
  oxc: { target: "node20" },
  optimizeDeps: { noDiscovery: true, include: [] },
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
});
try {
  const { runMatrix } = await server.ssrLoadModule("/checks/matrix/run.ts");
  const failures = await runMatrix({ ...values, log: (line) => console.log(line) });
  process.exitCode = failures > 0 ? 1 : 0;
} finally {
  await server.close();
}
