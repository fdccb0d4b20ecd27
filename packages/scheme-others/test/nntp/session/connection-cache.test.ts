import { nntpSyntax } from "@anyscheme/scheme-others/nntp";
import { expect, it } from "vitest";
import { Kept } from "../../../src/nntp/session/connection-cache.ts";

it("remembers 256 servers that want a login, and forgets them before the next one", () => {
  const servers = Array.from({ length: 257 }, (_, index) => nntpSyntax.parse(`nntp://h${index}.example/g`));
  const kept = new Kept();
  const remembered = (): number => servers.filter((server) => kept.wantsLogin(server)).length;
  for (const server of servers.slice(0, 256)) kept.noteLogin(server);
  expect(remembered()).toBe(256);
  for (const server of servers.slice(256)) kept.noteLogin(server);
  expect(remembered()).toBe(1);
});
