// The pictures of the pages, taken anew from what they show: `node checks/docs/pictures.js`, after a build.
import { fromSource } from "../from-source.js";

await fromSource("/checks/docs/pictures.ts", async ({ takePictures }) => {
  await takePictures();
});
