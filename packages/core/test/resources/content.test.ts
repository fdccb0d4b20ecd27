import type { Socket } from "node:net";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { AccessError } from "../../src/errors/access-error.ts";
import { anyAddress } from "../../src/policy/policy.ts";
import type { ContentResource, TransferProgress } from "../../src/scheme/resource.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createPathLineScheme } from "../client/test-schemes.ts";
import { createRecordingByteSource } from "../recording-byte-source.ts";
import { startResettingServer } from "../resetting-server.ts";
import {
  createTestContentResource,
  TEST_BODY,
  TEST_BODY_CHUNKS,
  getTemporaryFolder,
  CONTENT_BODY_READERS,
} from "./content-body-readers.ts";

describe.each(CONTENT_BODY_READERS)("reading a content with %s", (_name, read) => {
  it("the reader receives all bytes of a content and resolves completeness", async () => {
    const resource = await createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS));
    expect(Buffer.from(await read(resource)).toString()).toBe(Buffer.from(TEST_BODY).toString());
    expect(await resource.completeness).toBe("verified");
  });

  it.each([
    [-1, "shorter"],
    [1, "longer"],
  ])("a body fails when the stated size is wrong by %i byte, so that the body is %s", async (off) => {
    const size = TEST_BODY.length - off;
    const resource = await createTestContentResource(
      createRecordingByteSource(TEST_BODY_CHUNKS),
      {},
      { size },
    );
    const completeness = catchAccessError(resource.completeness);
    expect(await catchAccessError(read(resource))).toMatchObject({ code: "incomplete" });
    expect((await completeness).reason).toBe(
      `the body ended after ${TEST_BODY.length} bytes, and the server stated a size of ${size} bytes`,
    );
  });

  it("a body with sizeMayGrow may be longer than the stated size, but not shorter", async () => {
    const sized = (size: number): Promise<ContentResource> =>
      createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS), {}, { size, sizeMayGrow: true });
    const grown = await sized(TEST_BODY.length - 1);
    expect(await read(grown)).toHaveLength(TEST_BODY.length);
    expect(await grown.completeness).toBe("verified");
    expect((await catchAccessError(read(await sized(TEST_BODY.length + 1)))).code).toBe("incomplete");
  });

  it("the reader receives the bytes that a server has sent", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      for (const piece of TEST_BODY_CHUNKS) peer.send(piece);
    });
    const client = createClient({
      schemes: [createPathLineScheme("x-line", { completeness: "unverified" })],
      policy: anyAddress(),
    });
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/p`);
    expect(Buffer.from(await read(resource)).toString()).toBe(Buffer.from(TEST_BODY).toString());
    expect(await resource.completeness).toBe("unverified");
    await server.connections[0]?.closed;
  });

  it("the reader receives no empty chunks of a source", async () => {
    const none = new Uint8Array(0);
    const resource = await createTestContentResource(
      createRecordingByteSource([none, ...TEST_BODY_CHUNKS.flatMap((piece) => [piece, none])]),
    );
    expect(await read(resource)).toHaveLength(TEST_BODY.length);
  });

  it("the read fails when a body ends too early, and cancels the source", async () => {
    const source = createRecordingByteSource(
      TEST_BODY_CHUNKS,
      new AccessError("incomplete", "the connection broke"),
    );
    const resource = await createTestContentResource(source);
    expect(await catchAccessError(read(resource))).toMatchObject({ code: "incomplete", url: "x-made:a" });
    expect((await catchAccessError(resource.completeness)).code).toBe("incomplete");
    expect(source.cancelled).toBe(true);
    expect(await readdir(getTemporaryFolder())).toEqual([]);
  });

  it("the read fails when a server resets the connection during the body", async () => {
    await using server = await startResettingServer("[1,");
    const scheme = createPathLineScheme("x-line");
    const sockets: Socket[] = [];
    const access: typeof scheme.access = (plan, context, options) => {
      const through = context.connect.bind(context);
      const dial: typeof context.connect = async (target) => {
        const socket = await through(target);
        sockets.push(socket);
        return socket;
      };
      return scheme.access(plan, Object.assign(context, { connect: dial }), options);
    };
    const client = createClient({ schemes: [{ ...scheme, access }], policy: anyAddress() });
    const onProgress = (): void => sockets.forEach((socket) => void socket.write("\n"));
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/p`, { onProgress });
    expect((await catchAccessError(read(resource))).code).toBe("incomplete");
    expect((await catchAccessError(resource.completeness)).code).toBe("incomplete");
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(await readdir(getTemporaryFolder())).toEqual([]);
  });

  it("the read fails when the caller aborts during the body", async () => {
    const controller = new AbortController();
    const source = createRecordingByteSource(TEST_BODY_CHUNKS, "never");
    const onProgress = ({ received }: TransferProgress): void => {
      if (received === TEST_BODY.length) queueMicrotask(() => controller.abort(new Error("enough")));
    };
    const resource = await createTestContentResource(source, { signal: controller.signal, onProgress });
    const error = await catchAccessError(read(resource));
    expect(error).toMatchObject({ code: "aborted", reason: "the caller aborted the request" });
    expect((error.cause as Error).message).toBe("enough");
    expect((await catchAccessError(resource.completeness)).code).toBe("aborted");
    expect(source.cancelled).toBe(true);
    expect(await readdir(getTemporaryFolder())).toEqual([]);
  });

  it("the read fails when the caller has aborted before the body is read", async () => {
    const controller = new AbortController();
    const source = createRecordingByteSource(TEST_BODY_CHUNKS);
    const resource = await createTestContentResource(source, { signal: controller.signal });
    controller.abort();
    expect((await catchAccessError(read(resource))).code).toBe("aborted");
    expect((await catchAccessError(resource.completeness)).code).toBe("aborted");
    expect([source.cancelled, source.readBytes]).toEqual([true, 0]);
  });

  it("a read fails after the content was closed", async () => {
    const source = createRecordingByteSource(TEST_BODY_CHUNKS);
    const resource = await createTestContentResource(source);
    await resource.close();
    await resource.close();
    expect((await catchAccessError(read(resource))).code).toBe("aborted");
    expect(source.cancelled).toBe(true);
  });

  it("the read fails when the body takes longer than bodyTimeoutMs", async () => {
    const resource = await createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS, "never"), {
      limits: { bodyTimeoutMs: 2 },
    });
    expect(await catchAccessError(read(resource))).toMatchObject({ code: "timeout", limit: "bodyTimeoutMs" });
  });

  it.each([TEST_BODY.length - 1, TEST_BODY.length, TEST_BODY.length + 1])(
    "maxStreamBytes %i limits the body",
    async (maxStreamBytes) => {
      const source = createRecordingByteSource(TEST_BODY_CHUNKS);
      const resource = await createTestContentResource(source, { limits: { maxStreamBytes } });
      if (maxStreamBytes >= TEST_BODY.length) {
        expect(await read(resource)).toHaveLength(TEST_BODY.length);
        return;
      }
      expect(await catchAccessError(read(resource))).toMatchObject({
        code: "limit",
        limit: "maxStreamBytes",
      });
      expect((await catchAccessError(resource.completeness)).code).toBe("limit");
      expect(source.cancelled).toBe(true);
      expect(await readdir(getTemporaryFolder())).toEqual([]);
    },
  );

  it("a body can be read only once", async () => {
    for (const [, readAgain] of CONTENT_BODY_READERS) {
      const resource = await createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS));
      await read(resource);
      await expect((async () => readAgain(resource))()).rejects.toThrow(TypeError);
    }
  });
});
