declare module "ssrf-req-filter" {
  import type { Agent } from "node:https";

  /** Returns an agent for the scheme of a URL. */
  export default function ssrfFilter(url: string): Agent;
}
