// The pictures of the pages, taken anew from what they show: `node test/docs/pictures.js`, after a build.
import { fromSource } from "../../scripts/from-source.js";

await fromSource("/test/docs/pictures.ts", async ({ takePictures }) => {
  await takePictures();
});
