export { type GuardedAgent, guardedAgent } from "./agent.ts";
export { limitResponses } from "./limit-responses.ts";
export {
  GUARDED_AGENT_LIMITS,
  type GuardedAgentLimits,
  type GuardedAgentOptions,
  type PoolOptions,
  type ResponseLimits,
} from "./options.ts";
