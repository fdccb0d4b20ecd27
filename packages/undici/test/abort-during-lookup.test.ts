import { anyAddress } from "@anyscheme/core";
import { fetch as undiciFetch, request } from "undici";
import { expect, it } from "vitest";
import { type GuardedAgent, guardedAgent } from "../src/index.ts";

const url = "http://name.example/";

/** Creates an agent whose name look-up never ends, and an AbortController that aborts after the look-up has begun. */
function createAgentWithSilentResolver(dnsTimeoutMs: number): [GuardedAgent, AbortController] {
  const controller = new AbortController();
  const resolver = (): Promise<string[]> => {
    setImmediate(() => controller.abort());
    return new Promise(() => undefined);
  };
  return [guardedAgent({ policy: anyAddress(), resolver, limits: { dnsTimeoutMs } }), controller];
}

it.each([
  [
    "the built-in fetch",
    (dispatcher: GuardedAgent, signal: AbortSignal) => fetch(url, { dispatcher, signal }),
  ],
  [
    "fetch of undici",
    (dispatcher: GuardedAgent, signal: AbortSignal) => undiciFetch(url, { dispatcher, signal }),
  ],
])("%s rejects at once when its signal aborts during the look-up", async (_, get) => {
  const [agent, { signal }] = createAgentWithSilentResolver(Infinity);
  await expect(get(agent, signal)).rejects.toMatchObject({ name: "AbortError" });
  void agent.destroy();
});

it("request of undici rejects only after the look-up when its signal aborts, because undici passes no signal to the connection", async () => {
  const [dispatcher, { signal }] = createAgentWithSilentResolver(50);
  const failure: unknown = await request(url, { dispatcher, signal }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "timeout", limit: "dnsTimeoutMs" });
  await dispatcher.destroy();
});
