import assert from "node:assert/strict";
import { inspect } from "node:util";
import { AccessError } from "../errors/access-error.ts";
import { createClient } from "../client/client.ts";
import { publicInternet, anyAddress } from "../policy/policy.ts";
import type { Step } from "../scheme/plan.ts";
import { UrlSyntaxError } from "../syntax/index.ts";
import {
  createClientOfSchemeUnderTest,
  dereferenceAndReadResource,
  dereferenceContent,
  expectAccessError,
  type SchemeAndServedObject,
  type ServedTestObject,
} from "./dereference-conformance-checks.ts";
import type { SchemeConformanceCheck, SchemeUnderTest } from "./conformance.ts";
import {
  assertErrorCodeIsNotPlugin,
  assertSecretIsAbsent,
  SECRET_TO_FIND,
} from "./plan-conformance-checks.ts";
import { NAME_LOOKUP_RESOURCES, watchNetworkUse } from "./watch-network-use.ts";
import type { LoopbackServer } from "./loopback-server.ts";
import { startScriptedServer } from "./scripted-server.ts";
import { startRecordingProxy } from "./tcp-recording-proxy.ts";

/**
 * The conformance checks for an access method that uses the network. The access method must send the bytes of its plan,
 * and only through the guard.
 */
export const NETWORK_USE_CONFORMANCE_CHECKS: readonly SchemeConformanceCheck<SchemeAndServedObject>[] = [
  {
    name: "sends exactly the bytes of its plan's steps",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using tap = await startProxyForServer(schemeUnderTest, served);
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, tap.port);
      const performed: (Step | undefined)[] = [];
      const content = await dereferenceContent(client, served.url(tap.port), {
        trace({ action, step }) {
          if (action === "send") performed.push(step);
        },
      });
      await content.bytes();
      await client.destroy();
      await waitUntilConnectionsClosed(tap);
      const planned = content.plan.steps.filter((step) => performed.includes(step));
      assert.deepEqual(
        planned,
        performed,
        "steps were executed in another order than planned, twice, or without being in the plan",
      );
      const bytes = Buffer.concat(
        planned.map((step) => step.bytes ?? assert.fail(`"${step.description}" has no bytes`)),
      );
      assert.ok(bytes.length > 0, "the trace has no event with sent bytes");
      assert.equal(tap.connections[0]?.received.toString("latin1"), bytes.toString("latin1"));
    },
  },
  {
    name: "opens no connection to a private address under publicInternet()",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using tap = await startProxyForServer(schemeUnderTest, served);
      const scheme = schemeUnderTest.scheme();
      await using client = createClient({
        schemes: [scheme],
        policy: publicInternet({ allowPorts: { [scheme.name]: [tap.port] } }),
      });
      await expectAccessError(client.dereference(served.url(tap.port)), "refused-address");
      assert.equal(tap.connections.length, 0);
    },
  },
  {
    name: "opens no connection to a port of another protocol",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClient({ schemes: [schemeUnderTest.scheme()], policy: anyAddress() });
      for (const port of [0, 1, 22, 25, 6000, 6667])
        await expectAccessError(client.dereference(served.url(port)), "refused-port");
    },
  },
  {
    name: "rejects a URL with an encoded CR LF, or sends the CR LF encoded",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using tap = await startProxyForServer(schemeUnderTest, served);
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, tap.port);
      await client
        .dereference(`${served.url(tap.port)}%0D%0AINJECTED`)
        .then((resource) => resource.close())
        .catch((error: unknown) =>
          assert.ok(error instanceof AccessError || error instanceof UrlSyntaxError, String(error)),
        );
      for (const { received } of tap.connections)
        assert.doesNotMatch(received.toString("latin1"), /[\r\n]INJECTED/);
    },
  },
  {
    name: "the access method looks up no name for a URL with an IP address",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      using watch = watchNetworkUse(NAME_LOOKUP_RESOURCES);
      await (await client.dereference(served.url(served.port))).close();
      assert.deepEqual(watch.created, [], "the URL has an address, and the access method looks up a name");
    },
  },
  {
    name: "the password of the URL appears in no error and no trace of the request",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      const text = served.url(served.port).replace("://", `://user:${SECRET_TO_FIND}@`);
      if (!schemeUnderTest.scheme().syntax.canParse(text)) return;
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const events: unknown[] = [];
      const reading = dereferenceAndReadResource(client, text, { trace: (event) => void events.push(event) });
      assertSecretIsAbsent(await reading.catch((error: unknown) => error));
      assertSecretIsAbsent(events);
    },
  },
  {
    name: "an abort during the body closes all connections",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using tap = await startProxyForServer(schemeUnderTest, served);
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, tap.port);
      const controller = new AbortController();
      const content = await dereferenceContent(client, served.url(tap.port), { signal: controller.signal });
      controller.abort();
      await expectAccessError(content.bytes(), "aborted");
      await waitUntilConnectionsClosed(tap);
    },
  },
  {
    name: "closing an unread resource closes all connections",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using tap = await startProxyForServer(schemeUnderTest, served);
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, tap.port);
      await (await client.dereference(served.url(tap.port))).close();
      await waitUntilConnectionsClosed(tap);
    },
  },
  {
    name: "a connection that the server closes without a response causes an AccessError or unverified content",
    requirements: ["content", "network"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using server = await startScriptedServer((peer) => peer.end());
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, server.port);
      const reading = client
        .dereference(served.url(server.port))
        .then(async (found) =>
          found.kind === "content" ? [await found.bytes(), await found.completeness] : undefined,
        );
      // A protocol whose objects end with the connection cannot distinguish an empty object from a silent server.
      const outcome: unknown = await reading.catch((error: unknown) => error);
      const typed = Array.isArray(outcome) ? outcome[1] === "unverified" : outcome instanceof AccessError;
      assert.ok(typed, inspect(outcome));
      assertErrorCodeIsNotPlugin(outcome);
    },
  },
];

export function startProxyForServer(
  schemeUnderTest: SchemeUnderTest,
  served: ServedTestObject,
): Promise<LoopbackServer> {
  const { recordingProxy, tls } = schemeUnderTest;
  const port = requireTestServerPort(served);
  return recordingProxy ? recordingProxy(port) : startRecordingProxy(port, { tls });
}

export function requireTestServerPort({ port }: ServedTestObject): number {
  return port ?? assert.fail("the scheme under test has neither a port nor a reason in skip.network");
}

/** The maximum time in which a client closes its connections, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Waits until the client has closed all connections to a server. Fails for a connection that stays open. */
export async function waitUntilConnectionsClosed(server: LoopbackServer): Promise<void> {
  for (const [index, { closed }] of server.connections.entries()) {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new assert.AssertionError({ message: `the connection ${index + 1} is still open` })),
      CLOSE_TIMEOUT_MS,
    );
    await Promise.race([closed, timeout]).finally(() => clearTimeout(timer));
  }
}
