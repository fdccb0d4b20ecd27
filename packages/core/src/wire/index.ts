export { dotBody, DotDecoder } from "./dot-body.ts";
export { exchange } from "./exchange.ts";
export { IdleConnections, type IdleOptions, type Reusable } from "./idle.ts";
export { Inflow } from "./inflow.ts";
export { lineFrom } from "./line.ts";
export { LineCutter, type LineLimit, linesOf } from "./lines.ts";
export { pause } from "./pause.ts";
export { contentChanged, type Reopening, resuming } from "./resume.ts";
export { send } from "./send.ts";
