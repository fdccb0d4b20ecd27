export { registerFile } from "./file/register.ts";
