import { nntpSyntax } from "@anyscheme/scheme-others/nntp";
import { expect, it } from "vitest";
import { NntpConnectionCache } from "../../../src/nntp/session/connection.ts";

it("stores 256 servers that require a login, and clears the set before it adds another server", () => {
  const servers = Array.from({ length: 257 }, (_, index) => nntpSyntax.parse(`nntp://h${index}.example/g`));
  const kept = new NntpConnectionCache();
  const remembered = (): number => servers.filter((server) => kept.requiresLogin(server)).length;
  for (const server of servers.slice(0, 256)) kept.addLoginServer(server);
  expect(remembered()).toBe(256);
  for (const server of servers.slice(256)) kept.addLoginServer(server);
  expect(remembered()).toBe(1);
});
