export { registerFileInContainer } from "./file/register.ts";
export { registerMailtoInContainer } from "./mailto/register.ts";
export { registerNewsInContainer } from "./news/register.ts";
export { registerNntpInContainer } from "./nntp/register.ts";
export { registerProsperoInContainer } from "./prospero/register.ts";
export { registerTelnetInContainer } from "./telnet/register.ts";
export { registerWaisInContainer } from "./wais/register.ts";
