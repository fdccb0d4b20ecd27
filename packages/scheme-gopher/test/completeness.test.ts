import { describe, expect, it } from "vitest";
import { access, answering, entries, failure } from "./serving.ts";

const one = "0A\t/a\th\t70\r\n";
const items = "+INFO: 0a\t0/a\th\t70\t+\r\n+ADMIN:\r\n Admin: A <a@b>\r\n+INFO: 0b\t0/b\th\t70\t+\r\n";

// RFC 1436, Appendix, "Menu Entity": {DirEntity} Lastline. Gopher+, section 2.3: the head of a reply.
describe("the completeness of a menu", () => {
  it.each([
    ["with its line of one dot", "1", `${one}.\r\n`, 1, "verified"],
    ["with a dot and a bare LF", "1", `${one}.\n`, 1, "verified"],
    ["with the dot and something behind it", "1", `${one}.\r\nrubbish`, 1, "verified"],
    ["of nothing but the dot", "1", ".\r\n", 0, "verified"],
    ["without the dot", "1", one, 1, "unverified"],
    // No line of a menu begins with a dot but the last one.
    ["with a dot and no line end", "1", `${one}.`, 1, "verified"],
    ["that ends in the middle of a line", "1", `${one}0B\t/b`, 2, "unverified"],
    ["of nothing", "1", "", 0, "unverified"],
    ["of a search, with the dot", "7/s%09words", `${one}.\r\n`, 1, "verified"],
    ["of a search, without it", "7/s%09words", one, 1, "unverified"],
    ["counted by a Gopher+ reply", "1%09%09+", `+${one.length}\r\n${one}`, 1, "verified"],
    ["up to the dot of a Gopher+ reply", "1%09%09+", `+-1\r\n${one}.\r\n`, 1, "verified"],
    ["up to a dot that does not come", "1%09%09+", `+-1\r\n${one}`, 1, "unverified"],
    ["up to the close of a Gopher+ reply", "1%09%09+", `+-2\r\n${one}`, 1, "unverified"],
    ["up to the close of a Gopher+ reply, with a dot", "1%09%09+", `+-2\r\n${one}.\r\n`, 1, "verified"],
    ["of a server that knows no Gopher+", "1%09%09+", `${one}.\r\n`, 1, "verified"],
    ["of a server that knows no Gopher+, without the dot", "1%09%09+", one, 1, "unverified"],
    ["with attributes, up to the dot", "1%09%09$", `+-1\r\n${items}.\r\n`, 2, "verified"],
    ["with attributes, without it", "1%09%09$", `+-1\r\n${items}`, 2, "unverified"],
    ["with attributes, counted", "1%09%09$", `+${items.length}\r\n${items}`, 2, "verified"],
  ])("%s", async (_, path, answer, count, completeness) => {
    for (const pieces of [answer, answer.split("")]) {
      await using server = await answering(pieces);
      const menu = await access(server, path);
      if (menu.kind !== "directory") throw new Error(`it is a ${menu.kind}`);
      expect(await entries(menu)).toMatchObject({ entries: { length: count }, fault: undefined });
      expect(await menu.completeness).toBe(completeness);
    }
  });

  it.each([
    ["in the middle of a line", `+100\r\n${one}0B`, 2],
    ["between two lines", `+100\r\n${one}`, 1],
  ])("of a counted reply that ends too early, %s: incomplete", async (_, answer, count) => {
    await using server = await answering(answer);
    const menu = await access(server, "1%09%09+");
    if (menu.kind !== "directory") throw new Error(`it is a ${menu.kind}`);
    const read = await entries(menu);
    expect(read.fault).toEqual(failure("incomplete", /100/));
    expect(read.entries.length).toBeLessThanOrEqual(count);
    await expect(menu.completeness).rejects.toThrow(failure("incomplete"));
  });
});
