import { anyAddress, createClient, type Scheme } from "@anyscheme/core";
import { createPlan } from "@anyscheme/core/plugin";
import { startScriptedServer } from "@anyscheme/core/testing";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { startFtpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { type GatewayServerOptions, startGateway } from "../src/index.ts";
import { type ReceivedGatewayResponse, sendRequestToGateway, startGopherServer } from "./test-gateway.ts";

async function requestThroughGateway(
  scheme: Scheme,
  target: string,
  port: number,
  options: GatewayServerOptions = {},
): Promise<ReceivedGatewayResponse> {
  const policy = anyAddress({ allowPorts: { [scheme.name]: [port] } });
  await using client = createClient({ schemes: [scheme], policy });
  await using gateway = await startGateway(client, { port: 0, ...options });
  return await sendRequestToGateway(gateway.port, target);
}

describe("the gateway serves a client with a single scheme", () => {
  const views = ["", "/~raw", "/~download"];

  it.each(views)("the gateway sends a text from an HTTP server in the view %j", async (view) => {
    await using server = await startScriptedServer(async (peer) => {
      while ((await peer.readLine()) !== "");
      peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello");
    });
    const target = `${view}/http/127.0.0.1:${server.port}/a`;
    const { status, text } = await requestThroughGateway(http(), target, server.port);
    expect([status, text.includes("hello")]).toEqual([200, true]);
  });

  it.each(views)("the gateway sends a file from an FTP server in the view %j", async (view) => {
    await using server = await startFtpTestServer({ files: { "a.txt": "hello" } });
    const target = `${view}/ftp/127.0.0.1:${server.port}/a.txt`;
    const { status, text } = await requestThroughGateway(ftp(), target, server.port);
    expect([status, text.includes("hello")]).toEqual([200, true]);
  });

  it.each(views)("the gateway sends a text from a Gopher server in the view %j", async (view) => {
    await using server = await startGopherServer({ "/a": "hello\r\n.\r\n" });
    const target = `${view}/gopher/127.0.0.1:${server.port}/0/a`;
    const { status, text } = await requestThroughGateway(gopher(), target, server.port);
    expect([status, text.includes("hello")]).toEqual([200, true]);
  });
});

describe("the option onError of the gateway", () => {
  const failingScheme: Scheme = {
    name: "x-failing",
    syntax: createGenericSyntax({ schemes: ["x-failing"], defaultPort: 9999 }),
    plan: (url) => createPlan(url, []),
    access: () => Promise.reject(new Error("the disk of the gateway is full")),
  };

  it("onError receives an internal error, whose page shows no details", async () => {
    const errors: unknown[] = [];
    const { status, text } = await requestThroughGateway(failingScheme, "/x-failing/h.example/", 9999, {
      onError: (error) => errors.push(error),
    });
    expect(status).toBe(500);
    expect(text).not.toContain("the disk");
    expect(errors).toMatchObject([{ code: "plugin", cause: { message: "the disk of the gateway is full" } }]);
  });

  // The test run fails at an unhandled rejection.
  it.each([
    [
      "throws",
      () => {
        throw new Error("the log failed");
      },
    ],
    ["returns a promise that rejects", () => Promise.reject(new Error("the log failed"))],
  ])("an onError that %s does not change the response", async (_, onError: () => unknown) => {
    const target = "/x-failing/h.example/";
    const { status } = await requestThroughGateway(failingScheme, target, 9999, { onError });
    expect(status).toBe(500);
  });

  it("onError receives no error of a server or of a URL", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    for (const target of ["/http/127.0.0.1:1/", "/http/h%20/", "/ftp/h.example/", "/~none"])
      expect((await requestThroughGateway(http(), target, 80, { onError })).status).toBeGreaterThan(399);
    expect(errors).toEqual([]);
  });
});
