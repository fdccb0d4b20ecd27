export { type GuardedAgent, guardedAgent } from "./agent.ts";
export { limitResponses } from "./limit-responses.ts";
export {
  AGENT_LIMITS,
  type AgentLimits,
  type GuardedAgentOptions,
  type PoolOptions,
  type ResponseLimits,
} from "./options.ts";
