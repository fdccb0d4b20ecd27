import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError } from "../errors/access-error.ts";
import { createClient } from "../client/client.ts";
import type { Client } from "../client/client-interface.ts";
import type { DereferenceOptions } from "../client/options.ts";
import { anyAddress } from "../policy/policy.ts";
import type { ContentResource } from "../scheme/resource.ts";
import type { SchemeConformanceCheck, SchemeUnderTest } from "./conformance.ts";

/** An object that a client can dereference while one test of the suite runs. */
export interface ServedTestObject {
  /**
   * Returns the URL of the test object. `port` is the port to connect to, which may be the port of a recording proxy.
   */
  url(port?: number): string;
  /**
   * The bytes that a client receives for the test object. A scheme under test may omit `bytes` only with a reason in
   * `skip`.
   */
  readonly bytes?: Uint8Array;
  /**
   * Returns a URL of an object that the test server does not have. A scheme under test may omit `missingUrl` only with
   * a reason in `skip`.
   */
  missingUrl?(port?: number): string;
  /** The loopback port of the test server. A scheme under test may omit `port` only with a reason in `skip`. */
  readonly port?: number;
  stop(): Promise<void>;
}

/** A scheme under test, and the object that its server serves. */
export interface SchemeAndServedObject {
  readonly schemeUnderTest: SchemeUnderTest;
  readonly servedObject: ServedTestObject;
}

/**
 * Creates a client of one scheme that may connect to the given ports, with the request options of the scheme under
 * test.
 */
export function createClientOfSchemeUnderTest(
  schemeUnderTest: SchemeUnderTest,
  ...ports: readonly (number | undefined)[]
): Client {
  const scheme = schemeUnderTest.scheme();
  const allowed = ports.filter((port) => port !== undefined);
  const policy = anyAddress({ allowPorts: { [scheme.name]: allowed } });
  const client = createClient({ schemes: [scheme], policy });
  if (!schemeUnderTest.options) return client;
  // Destroying only the extended client would keep the idle connections open.
  const destroy = (): Promise<void> => client.destroy();
  return { ...client.extend(schemeUnderTest.options), destroy, [Symbol.asyncDispose]: destroy };
}

/**
 * Dereferences a URL and reads its whole content or directory. Closes a resource that is neither content nor a
 * directory.
 */
export async function dereferenceAndReadResource(
  client: Client,
  text: string,
  options?: DereferenceOptions,
): Promise<unknown> {
  const resource = await client.dereference(text, options);
  if (resource.kind === "content") return resource.bytes();
  if (resource.kind === "directory") return Array.fromAsync(resource);
  return resource.close();
}

/** Dereferences a URL and returns its content resource. Fails for a resource of another kind than content. */
export async function dereferenceContent(
  client: Client,
  text: string,
  options?: DereferenceOptions,
): Promise<ContentResource> {
  const resource = await client.dereference(text, options);
  assert.equal(resource.kind, "content");
  return resource;
}

/**
 * Returns the `AccessError` with which a promise rejects. Fails for another error code, and when the request succeeds.
 */
export async function expectAccessError(work: Promise<unknown>, code: string): Promise<AccessError> {
  const error: unknown = await work.then(
    () => assert.fail(`there is no ${code}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AccessError, String(error));
  assert.equal(error.code, code, error.message);
  return error;
}

function readBytes({ bytes }: ServedTestObject): Buffer {
  return Buffer.from(
    bytes ?? assert.fail("the scheme under test has neither bytes nor a reason in skip.content"),
  );
}

/** The conformance checks that every access method must pass. */
export const DEREFERENCE_CONFORMANCE_CHECKS: readonly SchemeConformanceCheck<SchemeAndServedObject>[] = [
  {
    name: "returns a resource with its URL and plan, and the resource can be closed more than once",
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const resource = await client.dereference(served.url(served.port));
      assert.equal(resource.url.href, served.url(served.port));
      assert.deepEqual(resource.redirectChain, []);
      assert.ok(resource.plan.steps.length > 0);
      await resource.close();
      await resource[Symbol.asyncDispose]();
    },
  },
  {
    name: "returns the bytes of the object, with its URL and plan",
    requirements: ["content"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const content = await dereferenceContent(client, served.url(served.port));
      assert.deepEqual(Buffer.from(await content.bytes()), readBytes(served));
      assert.equal(content.url.href, served.url(served.port));
      assert.ok(content.plan.steps.length > 0);
      assert.match(await content.completeness, /^(?:un)?verified$/);
    },
  },
  {
    name: "returns the same bytes by iteration and into the small buffers of a BYOB reader",
    requirements: ["content"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const pieces: Uint8Array[] = [];
      for await (const piece of await dereferenceContent(client, served.url(served.port))) pieces.push(piece);
      assert.deepEqual(Buffer.concat(pieces), readBytes(served));
      const { body } = await dereferenceContent(client, served.url(served.port));
      const reader = body.getReader({ mode: "byob" });
      const small: Uint8Array[] = [];
      for (;;) {
        const { done, value } = await reader.read(new Uint8Array(3));
        if (done) break;
        small.push(value);
      }
      assert.deepEqual(Buffer.concat(small), readBytes(served));
    },
  },
  {
    name: "saves the bytes to the specified file, and creates no other file",
    requirements: ["content"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const folder = await mkdtemp(join(tmpdir(), "anyscheme-"));
      try {
        const content = await dereferenceContent(client, served.url(served.port));
        assert.equal(await content.saveTo(join(folder, "object")), readBytes(served).length);
        assert.deepEqual(await readFile(join(folder, "object")), readBytes(served));
        assert.deepEqual(await readdir(folder), ["object"]);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  },
  {
    name: "a missing object has the error code not-found and a message with the URL",
    requirements: ["content", "missing"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const url =
        served.missingUrl?.(served.port) ??
        assert.fail("the scheme under test has neither missingUrl() nor a reason in skip.missing");
      const reading = client
        .dereference(url)
        .then((found) => (found.kind === "content" ? found.bytes() : undefined));
      const error = await expectAccessError(reading, "not-found");
      assert.ok(error.message.includes(url), error.message);
    },
  },
  {
    name: "reports a growing number of received bytes to onProgress",
    requirements: ["content"],
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const seen: number[] = [];
      const onProgress = ({ received }: { received: number }): void => void seen.push(received);
      await (await dereferenceContent(client, served.url(served.port), { onProgress })).bytes();
      assert.equal(seen.at(-1), readBytes(served).length);
      assert.ok(seen.every((count, index) => index === 0 || count > (seen[index - 1] ?? 0)));
    },
  },
  {
    name: "a request whose signal is already aborted is rejected with the code aborted",
    async run({ schemeUnderTest, servedObject: served }) {
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      await expectAccessError(
        client.dereference(served.url(served.port), { signal: AbortSignal.abort() }),
        "aborted",
      );
    },
  },
  {
    name: "client.destroy() aborts an unread body",
    requirements: ["content"],
    async run({ schemeUnderTest, servedObject: served }) {
      const client = createClientOfSchemeUnderTest(schemeUnderTest, served.port);
      const content = await dereferenceContent(client, served.url(served.port));
      await client.destroy();
      await expectAccessError(content.bytes(), "aborted");
      await expectAccessError(content.completeness, "aborted");
      await expectAccessError(client.dereference(served.url(served.port)), "aborted");
    },
  },
];
