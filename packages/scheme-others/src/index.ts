export * from "./file/index.ts";
export * from "./mailto/index.ts";
export * from "./news/index.ts";
export * from "./nntp/index.ts";
export * from "./prospero/index.ts";
export * from "./telnet/index.ts";
export * from "./wais/index.ts";
