export * from "./file/index.ts";
