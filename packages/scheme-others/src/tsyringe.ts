export { registerFileInContainer } from "./file/tsyringe.ts";
export { registerMailtoInContainer } from "./mailto/tsyringe.ts";
export { registerNewsInContainer } from "./news/tsyringe.ts";
export { registerNntpInContainer } from "./nntp/tsyringe.ts";
export { registerProsperoInContainer } from "./prospero/tsyringe.ts";
export { registerTelnetInContainer } from "./telnet/tsyringe.ts";
export { registerWaisInContainer } from "./wais/tsyringe.ts";
