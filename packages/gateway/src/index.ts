export { type ConcurrencyLimits, DEFAULT_CONCURRENCY_LIMITS } from "./request/concurrency-limiter.ts";
export type { GatewayServer } from "./http/http-server.ts";
export type { GatewayServerOptions } from "./options.ts";
export { startGateway } from "./server.ts";
