import { readFile } from "node:fs/promises";
import "@abraham/reflection";
import { anyAddress, createClient } from "@anyscheme/core";
import {
  describeScheme,
  getPlannedBytes,
  type ServedTestObject,
  startScriptedServer,
} from "@anyscheme/core/testing";
import {
  CLIENT_TSYRINGE_TOKEN,
  POLICY_TSYRINGE_TOKEN,
  registerClientInTsyringe,
} from "@anyscheme/core/tsyringe";
import { http, https } from "@anyscheme/scheme-http";
import { registerHttpInTsyringe } from "@anyscheme/scheme-http/tsyringe";
import { container } from "tsyringe";
import { describe, expect, it } from "vitest";
import { SERVER_CERTIFICATE_PEM, SERVER_PRIVATE_KEY_PEM } from "./test-certificates.ts";
import { createSingleResponseScript, createServerUrl, readRequestHead } from "./test-client.ts";

const tls = { cert: SERVER_CERTIFICATE_PEM, key: SERVER_PRIVATE_KEY_PEM };

async function startConformanceServer(scheme: "http" | "https"): Promise<ServedTestObject> {
  const server = await startScriptedServer(
    async (peer) => {
      const [requestLine] = await readRequestHead(peer);
      const found = requestLine?.startsWith("GET /object ");
      peer.send(`HTTP/1.1 ${found ? "200 OK" : "404 Not Found"}\r\nContent-Length: 10\r\n\r\n0123456789`);
    },
    scheme === "https" ? { tls } : {},
  );
  return {
    url: (port = server.port) => `${scheme}://127.0.0.1:${port}/object`,
    missingUrl: (port = server.port) => `${scheme}://127.0.0.1:${port}/missing`,
    bytes: Buffer.from("0123456789"),
    port: server.port,
    stop: () => server.stop(),
  };
}

describeScheme({ describe, it }, "http", {
  scheme: () => http(),
  valid: ["http://host", "http://host/", "http://host:8080/a//b;c?d=e&f", "http://1.2.3.4/%2F?"],
  invalid: ["http:host", "http://", "http://u@v@h/", "http://h/a\r\nb", "http://h/\\"],
  serve: () => startConformanceServer("http"),
});

describeScheme({ describe, it }, "https", {
  scheme: () => https({ ca: tls.cert }),
  valid: ["https://host", "https://host/", "https://host:8443/a//b;c?d=e&f"],
  invalid: ["https:host", "https://", "https://u@v@h/"],
  options: { headers: { "x-a": "b" } },
  tls,
  serve: () => startConformanceServer("https"),
});

describe("the https scheme has the plan of http with TLS", () => {
  it("an https plan has one step more than an http plan: the TLS handshake", () => {
    const [clear, secure] = [http(), https()];
    expect(secure.portRange).toBe(clear.portRange);
    const client = createClient({ schemes: [clear, secure] });
    const one = client.plan("http://h/a");
    const other = client.plan("https://h/a");
    expect(getPlannedBytes(other)).toEqual(getPlannedBytes(one));
    expect(other.steps.map(({ action }) => action)).toEqual(
      one.steps.flatMap(({ action }) => (action === "connect" ? [action, "tls"] : [action])),
    );
  });
});

it("registerHttpInTsyringe registers http and https in a container", async () => {
  const child = container.createChildContainer();
  registerHttpInTsyringe(child);
  registerClientInTsyringe(child);
  child.register(POLICY_TSYRINGE_TOKEN, { useValue: anyAddress() });
  const client = child.resolve(CLIENT_TSYRINGE_TOKEN);
  expect(client.schemes).toEqual(["http", "https"]);
  await using server = await startScriptedServer(createSingleResponseScript("HTTP/1.1 200 OK\r\n\r\nhello"));
  const resource = await client.dereference(createServerUrl(server));
  expect(resource.kind === "content" && (await resource.text())).toBe("hello");
});

it("the User-Agent header has the version of the package", async () => {
  const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const sent = getPlannedBytes(createClient({ schemes: [http()] }).plan("http://h/")).toString();
  expect(sent).toContain(`\r\nuser-agent: anyscheme/${manifest.version}\r\n`);
});
