import { Socket } from "node:net";
import { expect, it } from "vitest";
import { requestHttpTunnel } from "../../../src/network/proxy/http-connect.ts";
import { ParsedProxyServerSettings } from "../../../src/network/proxy/proxy-settings.ts";
import { createRecordingConnectionContext } from "../recording-connection-context.ts";

const proxy = new ParsedProxyServerSettings({ url: "http://p.example" });

// A reader that parses the whole answer after each chunk exceeds the time limit of the test.
it.each([
  ["a long header field", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(300_000)}\r\n\r\n`, 1],
  ["many interim responses", `${"HTTP/1.1 100 \n\n".repeat(100_000)}HTTP/1.1 200 \n\n`, 1_000_000],
])("the client reads %s of a proxy in linear time", async (_, answer, chunkBytes) => {
  const socket = Object.assign(new Socket(), { write: () => true });
  const context = createRecordingConnectionContext({ limits: { maxHeaderBytes: 2_000_000 } });
  const tunnel = requestHttpTunnel(context, proxy, socket, { host: "h.example", port: 80 });
  const bytes = Buffer.from(`${answer}server`);
  for (let start = 0; start < answer.length; start += chunkBytes) {
    const end = start + chunkBytes < answer.length ? start + chunkBytes : bytes.length;
    socket.emit("data", bytes.subarray(start, end));
  }
  await tunnel;
  expect(String(socket.read())).toBe("server");
  socket.destroy();
});
