import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect } from "vitest";
import { createClient } from "../../src/client/client.ts";
import type { DereferenceOptions } from "../../src/client/options.ts";
import type { ContentInit } from "../../src/scheme/context.ts";
import type { ContentResource } from "../../src/scheme/resource.ts";
import { createSocketlessScheme } from "../client/test-schemes.ts";
import type { RecordingByteSource } from "../recording-byte-source.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

let temporaryFolder: string;
beforeEach(() => {
  temporaryFolder = createTemporaryFolder();
});

/** Returns the temporary folder of the current test, to which `saveTo()` writes. */
export function getTemporaryFolder(): string {
  return temporaryFolder;
}

/** Creates a content resource from a source, without a server. */
export async function createTestContentResource(
  source: RecordingByteSource,
  options: DereferenceOptions = {},
  init: Omit<ContentInit, "source"> = {},
): Promise<ContentResource> {
  const client = createClient({
    schemes: [createSocketlessScheme((context) => context.createContent({ ...init, source }))],
  });
  const resource = await client.dereference("x-made:a", options);
  if (resource.kind !== "content") throw new Error("no content");
  return resource;
}

export async function readByIteration(resource: ContentResource): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(resource));
}

export async function readWithByobReader(resource: ContentResource, size: number): Promise<Uint8Array> {
  const reader = resource.body.getReader({ mode: "byob" });
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(size));
    if (done) return Buffer.concat(parts);
    expect(value.length).toBeLessThanOrEqual(size);
    parts.push(value);
  }
}

/** The methods by which a test reads the body of a content resource. */
export const CONTENT_BODY_READERS: readonly (readonly [
  name: string,
  read: (resource: ContentResource) => Promise<Uint8Array>,
])[] = [
  ["bytes()", (resource) => resource.bytes()],
  ["arrayBuffer()", async (resource) => new Uint8Array(await resource.arrayBuffer())],
  ["text()", async (resource) => Buffer.from(await resource.text())],
  ["json()", async (resource) => Buffer.from(JSON.stringify(await resource.json()))],
  ["blob()", async (resource) => new Uint8Array(await (await resource.blob()).arrayBuffer())],
  ["body", async (resource) => new Uint8Array(await new Response(resource.body).arrayBuffer())],
  ["an iterator", readByIteration],
  ["a reader of 1 byte buffers", (resource) => readWithByobReader(resource, 1)],
  ["a reader of 4 byte buffers", (resource) => readWithByobReader(resource, 4)],
  ["a reader of large buffers", (resource) => readWithByobReader(resource, 65_536)],
  ["toResponse()", async (resource) => new Uint8Array(await resource.toResponse().arrayBuffer())],
  [
    "saveTo()",
    async (resource) => {
      const path = join(temporaryFolder, "file");
      const bytes = await resource.saveTo(path);
      const saved = await readFile(path);
      expect(bytes).toBe(saved.length);
      return saved;
    },
  ],
];

/** A body that is valid text, valid JSON and valid UTF-8. */
export const TEST_BODY: Uint8Array = new TextEncoder().encode('["a body","in three","pieces é"]');
export const TEST_BODY_CHUNKS: readonly Uint8Array[] = [
  TEST_BODY.subarray(0, 5),
  TEST_BODY.subarray(5, 6),
  TEST_BODY.subarray(6),
];
