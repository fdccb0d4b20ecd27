export { registerFileInTsyringe } from "./file/tsyringe.ts";
export { registerMailtoInTsyringe } from "./mailto/tsyringe.ts";
export { registerNewsInTsyringe } from "./news/tsyringe.ts";
export { registerNntpInTsyringe } from "./nntp/tsyringe.ts";
export { registerProsperoInTsyringe } from "./prospero/tsyringe.ts";
export { registerTelnetInTsyringe } from "./telnet/tsyringe.ts";
export { registerWaisInTsyringe } from "./wais/tsyringe.ts";
