export { decodeEncodedWords } from "./encoded-words.ts";
export * from "./escape-controls.ts";
export { computeEditDistance } from "../options/edit-distance.ts";
