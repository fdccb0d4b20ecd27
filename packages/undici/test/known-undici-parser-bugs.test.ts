import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { Agent, request } from "undici";
import { describe, expect, it } from "vitest";

/** The message of a test that fails because undici has changed. */
const PAGE_TO_CHANGE =
  "undici no longer has this fault: change the reasons for the HTTP parser in docs/design.md";

/**
 * A handler pauses the response after the first chunk, and aborts in the next call of `onResponseData`. The body ends
 * with the connection, so undici makes the next call, without bytes, when the FIN arrives.
 */
const ABORT_AFTER_FIN_PROGRAM = `
import { createServer } from "node:net";
import { Client } from "undici";

const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", () => socket.write("HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\nabc"));
  endResponse = () => socket.end();
});
let endResponse;
server.listen(0, "127.0.0.1", () => {
  const client = new Client("http://127.0.0.1:" + server.address().port);
  const closeAll = () => {
    server.close();
    client.destroy();
  };
  let isPaused = false;
  client.dispatch({ path: "/", method: "GET" }, {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData(controller, chunk) {
      if (isPaused) {
        console.log("abort after a chunk of " + chunk.length + " bytes");
        controller.abort(new Error("abort of the handler"));
      } else {
        isPaused = true;
        controller.pause();
        endResponse();
      }
    },
    onResponseEnd: closeAll,
    onResponseError: closeAll,
  });
});
`;

/** Runs a module in its own process. */
async function runModule(
  code: string,
): Promise<{ readonly exitCode: unknown; readonly output: string; readonly errors: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[exitCode], output, errors] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, output, errors };
}

/**
 * The length of the interim responses, the status line and the chunk extensions that the test server sends. undici
 * accepts them, although it limits the headers of a response to 16 384 bytes by default.
 */
const LONG_PART_BYTES = 1_048_576;
const OK_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const INTERIM_RESPONSE = "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n";

const UNLIMITED_PARTS: readonly (readonly [part: string, response: string])[] = [
  ["interim responses", INTERIM_RESPONSE.repeat(LONG_PART_BYTES / INTERIM_RESPONSE.length) + OK_RESPONSE],
  ["the status line", `HTTP/1.1 200 ${"x".repeat(LONG_PART_BYTES)}\r\nContent-Length: 2\r\n\r\nok`],
  [
    "chunk extensions",
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;${"x".repeat(LONG_PART_BYTES)}\r\nok\r\n0\r\n\r\n`,
  ],
];

/** Requests a URL from a scripted server with undici alone. Returns the body, or the message of the error. */
async function requestWithUndici(
  respond: (peer: ScriptedPeer) => Promise<void> | void,
  onChunk?: () => void,
): Promise<string> {
  await using server = await startScriptedServer(async (peer) => {
    while ((await peer.readLine()) !== "");
    await respond(peer);
    await peer.closed;
  });
  const agent = new Agent();
  try {
    const { body } = await request(`http://127.0.0.1:${server.port}`, { dispatcher: agent });
    return await text(body.on("data", () => onChunk?.()));
  } catch (error) {
    return String(error);
  } finally {
    await agent.destroy();
  }
}

describe("undici's parser has the faults that docs/design.md gives as reasons", () => {
  it("undici ends the process when a handler aborts in a call of onResponseData without bytes after a FIN", async () => {
    const { exitCode, output, errors } = await runModule(ABORT_AFTER_FIN_PROGRAM);
    expect(output, PAGE_TO_CHANGE).toBe("abort after a chunk of 0 bytes\n");
    expect(errors, PAGE_TO_CHANGE).toContain("assert(!this.aborted)");
    expect(exitCode, PAGE_TO_CHANGE).toBe(1);
  });

  it("undici takes a reset for the end of a body that ends with the connection", async () => {
    const firstChunk = Promise.withResolvers<void>();
    const body = await requestWithUndici(async (peer) => {
      peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc");
      await firstChunk.promise;
      peer.reset();
    }, firstChunk.resolve);
    expect(body, PAGE_TO_CHANGE).toBe("abc");
  });

  it.each(UNLIMITED_PARTS)("undici does not limit the length of %s", async (_, response) => {
    expect(await requestWithUndici((peer) => peer.send(response)), PAGE_TO_CHANGE).toBe("ok");
  });
});
