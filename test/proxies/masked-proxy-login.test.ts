import { inspect } from "node:util";
import { anyAddress, createClient, type TraceEvent } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { startFixedTargetTunnelProxy } from "@anyscheme/servers";
import { expect, it } from "vitest";

const basic = Buffer.from("joe:needle").toString("base64");

// A proxy can change the answers of a server without TLS, and knows its own login.
it.each([
  ["http", `HTTP/1.1 503 joe needle ${basic}\r\nContent-Length: 0\r\n\r\n`],
  ["ftp", `421 joe needle ${basic}\r\n`],
])(
  "no text has the login of the proxy when the answer of a server repeats it: %s",
  async (scheme, answer) => {
    await using server = await startScriptedServer(async (peer) => {
      if (scheme === "http") while ((await peer.readLine()) !== "");
      peer.send(answer);
      await peer.closed;
    });
    await using proxy = await startFixedTargetTunnelProxy(server.port);
    const events: TraceEvent[] = [];
    const proxyUrl = `http://joe:needle@127.0.0.1:${proxy.port}`;
    await using client = createClient({
      schemes: [http(), ftp()],
      policy: anyAddress(),
      proxy: proxyUrl,
      trace: (event) => events.push(event),
    });
    const error: unknown = await client
      .dereference(`${scheme}://127.0.0.1:${server.port}/a`)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(events.some(({ action }) => action === "receive")).toBe(true);
    const texts = inspect([error, events, client], { depth: 9, showHidden: true });
    expect(texts).not.toMatch(/needle|joe|am9lOm/);
  },
);
