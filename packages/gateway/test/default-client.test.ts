import "@abraham/reflection";
import { anyAddress } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import {
  CACHE_TSYRINGE_TOKEN,
  CLIENT_TSYRINGE_TOKEN,
  CLIENT_OPTIONS_TSYRINGE_TOKEN,
  COOKIES_TSYRINGE_TOKEN,
  CREDENTIALS_TSYRINGE_TOKEN,
  GATEWAYS_TSYRINGE_TOKEN,
  LIMITS_TSYRINGE_TOKEN,
  PROXY_TSYRINGE_TOKEN,
} from "@anyscheme/core/tsyringe";
import { container, type InjectionToken } from "tsyringe";
import { afterEach, describe, expect, it } from "vitest";
import { createDefaultClient, createDefaultClientContainer } from "../src/default-client.ts";

afterEach(() => container.reset());

/** The registrations of a program for its own client, each of which would change the request or its result. */
const REGISTRATIONS: readonly (readonly [string, InjectionToken, unknown])[] = [
  ["credentials", CREDENTIALS_TSYRINGE_TOKEN, () => ({ user: "joe", password: "sesame" })],
  [
    "cookies",
    COOKIES_TSYRINGE_TOKEN,
    { getCookieString: () => Promise.resolve("a=b"), setCookie: () => Promise.resolve() },
  ],
  ["cache", CACHE_TSYRINGE_TOKEN, memoryCache()],
  ["proxy", PROXY_TSYRINGE_TOKEN, "http://127.0.0.1:22"],
  ["gateways", GATEWAYS_TSYRINGE_TOKEN, { http: "http://127.0.0.1:22/?{url}" }],
  ["limits", LIMITS_TSYRINGE_TOKEN, { maxUrlLength: 10 }],
  ["further options", CLIENT_OPTIONS_TSYRINGE_TOKEN, { credentials: () => ({ password: "sesame" }) }],
];

describe("the client of the gateway does not use the registrations in the global container of tsyringe", () => {
  it.each(REGISTRATIONS)("the client ignores the %s of the program", async (_, token, useValue) => {
    container.register(token, { useValue });
    const heads: string[] = [];
    await using server = await startScriptedServer(async (peer) => {
      const lines: string[] = [];
      for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
      heads.push(lines.join("\n"));
      const status = lines[0]?.startsWith("GET /public ")
        ? "200 OK\r\nCache-Control: max-age=60"
        : '401 Unauthorized\r\nWWW-Authenticate: Basic realm="r"';
      peer.send(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    });
    await using client = createDefaultClient({
      policy: anyAddress({ allowPorts: { http: [server.port] } }),
    });
    const origin = `http://127.0.0.1:${server.port}`;
    for (let request = 0; request < 2; request++) {
      expect(await client.text(`${origin}/public`)).toBe("");
      await expect(client.text(`${origin}/private`)).rejects.toMatchObject({
        code: "authentication-required",
      });
    }
    expect(heads).toHaveLength(4);
    expect(heads.join("\n")).not.toMatch(/^(?:cookie|authorization):/im);
  });

  it("a registration in the container of the gateway applies to its client", () => {
    const gatewayContainer = createDefaultClientContainer();
    gatewayContainer.register(LIMITS_TSYRINGE_TOKEN, { useValue: { maxUrlLength: 30 } });
    const client = gatewayContainer.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(client.tryParse(`http://h.example/${"a".repeat(20)}`).fault?.code).toBe("too-long");
  });
});
