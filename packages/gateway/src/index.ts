export {
  type ConcurrentRequestLimits,
  DEFAULT_CONCURRENT_REQUEST_LIMITS,
} from "./request/concurrent-request-limiter.ts";
export type { GatewayServer } from "./http/http-server.ts";
export type { GatewayServerOptions } from "./options.ts";
export { startGateway } from "./server.ts";
