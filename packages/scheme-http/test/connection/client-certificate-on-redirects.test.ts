import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { anyAddress, createClient } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { https } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  CLIENT_CERTIFICATE_PEM,
  CLIENT_PRIVATE_KEY_PEM,
  SERVER_CERTIFICATE_PEM,
  SERVER_PRIVATE_KEY_PEM,
} from "../test-certificates.ts";

/** Starts a server that redirects by `locations`, and records the path and the client certificate of each request. */
async function startCertificateServer(locations: Readonly<Record<string, string>> = {}) {
  const requests: string[] = [];
  const server = createServer(
    {
      cert: SERVER_CERTIFICATE_PEM,
      key: SERVER_PRIVATE_KEY_PEM,
      requestCert: true,
      rejectUnauthorized: false,
      ca: CLIENT_CERTIFICATE_PEM,
    },
    (socket) => {
      const { CN = "nobody" } = (socket.getPeerCertificate().subject ?? {}) as { CN?: string };
      let text = "";
      socket
        .on("error", () => undefined)
        .on("data", (bytes) => {
          text += String(bytes);
          if (!text.endsWith("\r\n\r\n")) return;
          const path = text.split(" ")[1] ?? "";
          text = "";
          requests.push(`${path} ${CN}`);
          const location = locations[path];
          const head =
            location === undefined ? "200 OK\r\nCache-Control: max-age=60" : `302 X\r\nLocation: ${location}`;
          socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${CN.length}\r\n\r\n${CN}`);
        });
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    origin: `https://127.0.0.1:${port}` as const,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function startTwoServers() {
  const locations: Record<string, string> = { "/same": "/end" };
  const first = await startCertificateServer(locations);
  const second = await startCertificateServer({ "/back": `${first.origin}/end` });
  Object.assign(locations, { "/other": `${second.origin}/end`, "/back": `${second.origin}/back` });
  const stop = async () => {
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
  };
  return { first, second, [Symbol.asyncDispose]: stop };
}

const certificates = {
  ca: SERVER_CERTIFICATE_PEM,
  cert: CLIENT_CERTIFICATE_PEM,
  key: CLIENT_PRIVATE_KEY_PEM,
};
const createTestClient = (options: object = {}) =>
  createClient({ schemes: [https(certificates)], policy: anyAddress(), ...options });

describe("the client certificate on redirects", () => {
  it.each([
    ["/same", ["/same client", "/end client"], []],
    ["/other", ["/other client"], ["/end nobody"]],
    ["/back", ["/back client", "/end nobody"], ["/back nobody"]],
  ])(
    "a request to %s sends the certificate only until a redirect to another origin",
    async (path, atFirst, atSecond) => {
      await using servers = await startTwoServers();
      await using client = createTestClient();
      await client.text(`${servers.first.origin}${path}`);
      expect([servers.first.requests, servers.second.requests]).toEqual([atFirst, atSecond]);
    },
  );

  it("a URL outside the origin of the base URL receives no certificate", async () => {
    await using servers = await startTwoServers();
    const { first, second } = servers;
    await using client = createTestClient();
    const api = client.extend({ baseUrl: first.origin });
    expect(await api.text("/end")).toBe("client");
    expect(await api.text(`${second.origin}/end`)).toBe("nobody");
    expect(await client.text(`${second.origin}/end`)).toBe("client");
  });

  it("requests with and without the certificate share no connection and no stored response", async () => {
    await using servers = await startTwoServers();
    const { first, second } = servers;
    await using client = createTestClient({ cache: memoryCache() });
    expect(await client.text(`${second.origin}/end`)).toBe("client");
    expect(await client.text(`${first.origin}/other`)).toBe("nobody");
    expect(await client.text(`${second.origin}/end`)).toBe("client");
    expect(await client.text(`${first.origin}/other`)).toBe("nobody");
    expect(second.requests).toEqual(["/end client", "/end nobody"]);
  });

  it("a gateway, which the caller has chosen, receives the certificate", async () => {
    await using servers = await startTwoServers();
    const { first } = servers;
    await using client = createTestClient({ gateways: { "x-foo": `${first.origin}/{url}` } });
    expect(await client.text("x-foo:a")).toBe("client");
    const redirecting = createTestClient({ gateways: { "x-foo": `${first.origin}/same?{url}` } });
    await using _ = redirecting;
    await redirecting.text("x-foo:a");
    expect(first.requests).toContain("/same?x-foo%3Aa client");
  });
});
