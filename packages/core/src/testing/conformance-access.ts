import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError } from "../errors/access-error.ts";
import { type Client, createClient } from "../client/client.ts";
import type { DereferenceOptions } from "../client/options.ts";
import { anyAddress } from "../policy/policy.ts";
import type { ContentResource } from "../scheme/resource.ts";
import type { ConformanceCheck, SchemeExample } from "./conformance.ts";

/** An object that a client can dereference while one row runs. */
export interface ServedObject {
  /** Returns the URL of the object. `port` is the port to connect to, which may be that of a proxy. */
  url(port?: number): string;
  /** The bytes of the object. May be omitted only with a reason in `skip`. */
  readonly bytes?: Uint8Array;
  /** Returns a URL of a missing object on the same server. May be omitted only with a reason in `skip`. */
  missing?(port?: number): string;
  /** The loopback port of the server. May be omitted only with a reason in `skip`. */
  readonly port?: number;
  stop(): Promise<void>;
}

/** A scheme and its server. */
export interface StartedScheme {
  readonly example: SchemeExample;
  readonly served: ServedObject;
}

/** Creates a client of one scheme that may reach these ports. */
export function createExampleClient(
  example: SchemeExample,
  ...ports: readonly (number | undefined)[]
): Client {
  const scheme = example.scheme();
  const allowed = ports.filter((port) => port !== undefined);
  return createClient({ schemes: [scheme], policy: anyAddress({ allowPorts: { [scheme.name]: allowed } }) });
}

/** Returns the served object as content. Fails for any other kind. */
export async function readContent(
  client: Client,
  text: string,
  options?: DereferenceOptions,
): Promise<ContentResource> {
  const resource = await client.dereference(text, options);
  assert.equal(resource.kind, "content");
  return resource;
}

/** Returns the `AccessError` with which the work fails. Fails for any other result or code. */
export async function catchError(work: Promise<unknown>, code: string): Promise<AccessError> {
  const error: unknown = await work.then(
    () => assert.fail(`there is no ${code}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AccessError, String(error));
  assert.equal(error.code, code, error.message);
  return error;
}

function readBytes({ bytes }: ServedObject): Buffer {
  return Buffer.from(bytes ?? assert.fail("the example has no bytes, and no reason why"));
}

/** The requirements of every access method. */
export const ACCESS_CHECKS: readonly ConformanceCheck<StartedScheme>[] = [
  {
    name: "gives a resource that names its URL and its plan, and can be closed again and again",
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      const resource = await client.dereference(served.url(served.port));
      assert.equal(resource.url.href, served.url(served.port));
      assert.deepEqual(resource.redirectChain, []);
      assert.ok(resource.plan.steps.length > 0);
      await resource.close();
      await resource[Symbol.asyncDispose]();
    },
  },
  {
    name: "gives the bytes, with the URL and the plan they came by",
    requirements: ["content"],
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      const content = await readContent(client, served.url(served.port));
      assert.deepEqual(Buffer.from(await content.bytes()), readBytes(served));
      assert.equal(content.url.href, served.url(served.port));
      assert.ok(content.plan.steps.length > 0);
      assert.match(await content.completeness, /^(?:un)?verified$/);
    },
  },
  {
    name: "gives the same bytes as a stream, and into a reader's own small buffer",
    requirements: ["content"],
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      const pieces: Uint8Array[] = [];
      for await (const piece of await readContent(client, served.url(served.port))) pieces.push(piece);
      assert.deepEqual(Buffer.concat(pieces), readBytes(served));
      const { body } = await readContent(client, served.url(served.port));
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
    name: "saves the bytes under the name that was asked for, and nothing else",
    requirements: ["content"],
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      const folder = await mkdtemp(join(tmpdir(), "anyscheme-"));
      try {
        const content = await readContent(client, served.url(served.port));
        assert.equal(await content.saveTo(join(folder, "object")), readBytes(served).length);
        assert.deepEqual(await readFile(join(folder, "object")), readBytes(served));
        assert.deepEqual(await readdir(folder), ["object"]);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  },
  {
    name: "names what is missing with a typed error that has the URL",
    requirements: ["content", "missing"],
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      const url =
        served.missing?.(served.port) ?? assert.fail("the example has no missing(), and no reason why");
      const reading = client
        .dereference(url)
        .then((found) => (found.kind === "content" ? found.bytes() : undefined));
      const error = await catchError(reading, "not-found");
      assert.ok(error.message.includes(url), error.message);
    },
  },
  {
    name: "reports progress that only grows",
    requirements: ["content"],
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      const seen: number[] = [];
      const onProgress = ({ received }: { received: number }): void => void seen.push(received);
      await (await readContent(client, served.url(served.port), { onProgress })).bytes();
      assert.equal(seen.at(-1), readBytes(served).length);
      assert.ok(seen.every((count, index) => index === 0 || count > (seen[index - 1] ?? 0)));
    },
  },
  {
    name: "an access that was given up before it began does nothing",
    async run({ example, served }) {
      await using client = createExampleClient(example, served.port);
      await catchError(
        client.dereference(served.url(served.port), { signal: AbortSignal.abort() }),
        "aborted",
      );
    },
  },
  {
    name: "closing the client ends a body that is not read",
    requirements: ["content"],
    async run({ example, served }) {
      const client = createExampleClient(example, served.port);
      const content = await readContent(client, served.url(served.port));
      await client.destroy();
      await catchError(content.bytes(), "aborted");
      await catchError(content.completeness, "aborted");
      await catchError(client.dereference(served.url(served.port)), "aborted");
    },
  },
];
