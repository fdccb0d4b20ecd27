import { createViteServer } from "vitest/node";

const root = new URL("../", import.meta.url).pathname;

/** Loads a module of the workspace and its imports from the sources, as the tests do, until `work` ends. */
export async function fromSource(module, work) {
  const server = await createViteServer({
    root,
    configFile: `${root}vitest.config.ts`,
    appType: "custom",
    logLevel: "error",
    oxc: { target: "node22" },
    optimizeDeps: { noDiscovery: true, include: [] },
    server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  });
  try {
    await work(await server.ssrLoadModule(module));
  } finally {
    await server.close();
  }
}
