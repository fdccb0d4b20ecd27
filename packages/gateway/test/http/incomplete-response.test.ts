import { connect } from "node:net";
import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

it.each([
  // Without a length, the end of the connection is the end of a body in HTTP/1.0.
  ["1.0", "hello", "ECONNRESET"],
  ["1.1", "5\r\nhello\r\n", undefined],
] as const)(
  "a client of HTTP/%s can detect that the server's body breaks off",
  async (version, body, errorCode) => {
    const { promise: bodyArrived, resolve: breakBodyOff } = Promise.withResolvers<void>();
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      peer.send("HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\nTransfer-Encoding: chunked\r\n\r\n");
      peer.send("5\r\nhello\r\n");
      await bodyArrived;
    });
    await using fixture = await startTestGateway([server.port]);
    const client = connect(fixture.gateway.port, "127.0.0.1").setEncoding("latin1");
    const path = `/~raw/http/127.0.0.1:${server.port}/a.zip`;
    client.write(`GET ${path} HTTP/${version}\r\nHost: localhost:${fixture.gateway.port}\r\n\r\n`);
    let received = "";
    client.on("data", (text: string) => {
      received += text;
      if (received.includes("hello")) breakBodyOff();
    });
    const errors: (string | undefined)[] = [];
    client.on("error", ({ code }: NodeJS.ErrnoException) => errors.push(code));
    await new Promise((resolve) => client.once("close", resolve));
    expect(received.split("\r\n\r\n")[1]).toBe(body);
    expect(errors).toEqual(errorCode === undefined ? [] : [errorCode]);
  },
);
