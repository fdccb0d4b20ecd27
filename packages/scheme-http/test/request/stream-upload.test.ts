import { once } from "node:events";
import { createServer } from "node:net";
import { AccessError } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";
import { startBodyReadingServer } from "./body-reading-server.ts";

describe("the upload of a stream", () => {
  const MEBIBYTE = 1_048_576;

  /** Creates an endless stream, which counts the chunks that were read and records why it was cancelled. */
  function createEndlessStream(): {
    stream: ReadableStream<Uint8Array>;
    read: () => number;
    cancelled: Promise<unknown>;
  } {
    let read = 0;
    const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          read++;
          controller.enqueue(new Uint8Array(65_536));
        },
        cancel: resolve,
      },
      { highWaterMark: 0 },
    );
    return { stream, read: () => read, cancelled };
  }

  it("the client reads the stream only as fast as the server reads the body", async () => {
    const { stream, read, cancelled } = createEndlessStream();
    // A paused socket stands for a server that does not read. A scripted server reads all bytes.
    const silent = createServer({ pauseOnConnect: true });
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = silent.address() as { port: number };
    try {
      const options = { method: "POST", body: stream, limits: { idleTimeoutMs: 200 } };
      expect(
        await getRejectedError(getWithSharedTestClient(`http://127.0.0.1:${port}/`, options)),
      ).toMatchObject({
        code: "timeout",
        limit: "idleTimeoutMs",
      });
      expect(await cancelled).toMatchObject({ code: "timeout" });
      expect(read() * 65_536).toBeLessThan(16 * MEBIBYTE);
    } finally {
      silent.close();
    }
  });

  it.each(["413 Content Too Large", "307 Temporary Redirect", "500 No"])(
    "an early response with the status %s ends the upload and is delivered",
    async (status) => {
      const { stream, cancelled } = createEndlessStream();
      await using server = await startScriptedServer(async (peer) => {
        await readRequestHead(peer);
        await peer.readBytes(100);
        peer.send(`HTTP/1.1 ${status}\r\nContent-Length: 4\r\n\r\nfull`);
        await peer.closed;
      });
      const resource = await getWithSharedTestClient(createServerUrl(server), {
        method: "POST",
        body: stream,
        throwHttpErrors: false,
        redirect: "manual",
      });
      expect([resource.httpResponse.status, await resource.text()]).toEqual([
        Number(status.slice(0, 3)),
        "full",
      ]);
      await cancelled;
      await server.connections[0]?.closed;
    },
  );

  it("an early response with status 200 is read while the body is sent", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (let size = 1; size > 0;) {
        const line = (await peer.readLine()) ?? "0";
        size = parseInt(line, 16);
        const bytes = await peer.readBytes(size + 2);
        peer.send(`${line}\r\n`);
        peer.send(bytes);
      }
      await peer.closed;
    });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(Buffer.from("ping"));
    const resource = await getWithSharedTestClient(createServerUrl(server), {
      method: "POST",
      body: readable,
    });
    const reader = resource.body.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("ping");
    void writer.write(Buffer.from("pong"));
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("pong");
    void writer.close();
    expect((await reader.read()).done).toBe(true);
  });

  it("the end of an early response with status 200 ends the upload, and the connection is not reused", async () => {
    const { stream, cancelled } = createEndlessStream();
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
      await peer.closed;
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), { method: "POST", body: stream });
    expect(await resource.text()).toBe("done");
    await cancelled;
    await server.connections[0]?.closed;
  });

  it("a stream that fails ends the request with the code plugin and the reason as cause", async () => {
    await using server = await startBodyReadingServer();
    const cause = new Error("disk on fire");
    let isFirst = true;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isFirst) controller.enqueue(Buffer.from("half"));
        else controller.error(cause);
        isFirst = false;
      },
    });
    const failure = await getRejectedError(
      getWithSharedTestClient(createServerUrl(server), { method: "POST", body }),
    );
    expect(failure).toMatchObject({ code: "plugin", cause });
    await server.connections[0]?.closed;
  });

  it("a stream that fails after an early response fails the body of the response", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\nbegin");
      await peer.closed;
    });
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const body = new ReadableStream<Uint8Array>({ pull: () => failed }, { highWaterMark: 0 });
    const resource = await getWithSharedTestClient(createServerUrl(server), { method: "POST", body });
    reject(new Error("disk on fire"));
    expect(await getRejectedError(resource.bytes())).toMatchObject({ code: "plugin" });
  });

  it("the AccessError of a stream is the error of the request", async () => {
    await using server = await startBodyReadingServer();
    const cause = new AccessError("incomplete", "the source ended");
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(cause) });
    const options = { method: "POST", body };
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server), options))).toMatchObject({
      code: "incomplete",
      reason: "the source ended",
    });
  });

  it.each([
    ["a stream with a chunk of text", () => createStreamOf("text")],
    ["a locked stream", () => createLockedStream()],
  ])("%s as request body ends the request with the code plugin", async (_, create) => {
    await using server = await startBodyReadingServer();
    const body = create() as ReadableStream<Uint8Array>;
    expect(
      await getRejectedError(getWithSharedTestClient(createServerUrl(server), { method: "POST", body })),
    ).toMatchObject({
      code: "plugin",
      cause: expect.any(TypeError) as TypeError,
    });
  });

  it("an abort by the caller cancels a stream that waits for its source", async () => {
    await using server = await startBodyReadingServer();
    const caller = new AbortController();
    const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
    const body = new ReadableStream<Uint8Array>(
      {
        pull: () => caller.abort(new Error("enough")),
        cancel: resolve,
      },
      { highWaterMark: 0 },
    );
    const options = { method: "POST", body, signal: caller.signal };
    expect(await getRejectedError(getWithSharedTestClient(createServerUrl(server), options))).toMatchObject({
      code: "aborted",
      cause: { message: "enough" },
    });
    await cancelled;
  });
});

function createStreamOf(chunk: unknown): ReadableStream {
  return new ReadableStream({ start: (controller) => (controller.enqueue(chunk), controller.close()) });
}

function createLockedStream(): ReadableStream {
  const stream = createStreamOf(Buffer.from("x"));
  stream.getReader();
  return stream;
}
