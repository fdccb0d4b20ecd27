// Renews the pictures of the pages: `node test/docs/pictures.js`, after a build.
import { fromSource } from "../../scripts/from-source.js";

await fromSource("/test/docs/pictures.ts", async ({ takePictures }) => {
  await takePictures();
});
