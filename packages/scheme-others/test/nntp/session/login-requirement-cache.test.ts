import { nntpSyntax } from "@anyscheme/scheme-others/nntp";
import { expect, it } from "vitest";
import { NntpConnectionCache } from "../../../src/nntp/session/pooled-connection.ts";

it("NntpConnectionCache stores 256 servers that require a login, and deletes all of them before it adds a further server", () => {
  const servers = Array.from({ length: 257 }, (_, index) => nntpSyntax.parse(`nntp://h${index}.example/g`));
  const cache = new NntpConnectionCache();
  const countLoginServers = (): number => servers.filter((server) => cache.requiresLogin(server)).length;
  for (const server of servers.slice(0, 256)) cache.recordLoginRequired(server);
  expect(countLoginServers()).toBe(256);
  for (const server of servers.slice(256)) cache.recordLoginRequired(server);
  expect(countLoginServers()).toBe(1);
});
