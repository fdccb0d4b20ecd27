export { exchange } from "./exchange.ts";
export { Inflow } from "./inflow.ts";
export { LineCutter, linesOf } from "./lines.ts";
