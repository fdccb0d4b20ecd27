export { type GuardedAgent, guardedAgent } from "./guarded-agent.ts";
export { responseLimitsInterceptor } from "./response-limits-interceptor.ts";
export {
  DEFAULT_GUARDED_AGENT_LIMITS,
  type GuardedAgentLimits,
  type GuardedAgentOptions,
  type AcceptedUndiciAgentOptions,
  type ResponseLimits,
} from "./options.ts";
