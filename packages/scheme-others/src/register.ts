export { registerFile } from "./file/register.ts";
export { registerMailto } from "./mailto/register.ts";
export { registerNews } from "./news/register.ts";
export { registerNntp } from "./nntp/register.ts";
export { registerProspero } from "./prospero/register.ts";
export { registerTelnet } from "./telnet/register.ts";
export { registerWais } from "./wais/register.ts";
