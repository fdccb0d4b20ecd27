import { expect, it, vi } from "vitest";
import { connectTo } from "../../../src/network/connect.ts";
import { startForbiddenServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createConnectionContextWithProxy } from "./scripted-proxy.ts";

it("a SOCKS5 proxy without the package socks fails with advice, and the connection is closed", async () => {
  vi.doMock("socks", () => {
    throw new Error("Cannot find package 'socks'");
  });
  await using proxy = await startForbiddenServer();
  const context = createConnectionContextWithProxy(proxy, { protocol: "socks5" });
  const error = await catchAccessError(connectTo(context, { host: "127.0.0.1", port: 7 }));
  expect(error).toMatchObject({
    code: "unsupported",
    reason: "a SOCKS5 proxy needs the package socks, which cannot be loaded",
    advice: "install it with: npm install socks; a bundler must leave it out of an ES module",
  });
  expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  expect(proxy.connections[0]?.received.length).toBe(0);
});
