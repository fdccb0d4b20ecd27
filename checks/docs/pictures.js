// The pictures of the pages, taken anew from what they show: `node checks/docs/pictures.js`, after a build.
import { createViteServer } from "vitest/node";

const root = new URL("../../", import.meta.url).pathname;

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
  const { takePictures } = await server.ssrLoadModule("/checks/docs/pictures.ts");
  await takePictures();
} finally {
  await server.close();
}
