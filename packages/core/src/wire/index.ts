export { exchange } from "./exchange.ts";
export { Inflow } from "./inflow.ts";
export { LineCutter, type LineLimit, linesOf } from "./lines.ts";
