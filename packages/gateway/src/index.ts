export { type AdmissionLimits, DEFAULT_ADMISSION } from "./admission.ts";
export { startGateway } from "./gateway.ts";
export type { Listening } from "./listen.ts";
export type { GatewayOptions } from "./options.ts";
