import { describe, expect, it } from "vitest";
import {
  dereferenceAndCheckRequest,
  startGopherServer,
  readMenuEntriesUntilFailure,
  matchErrorWithCode,
} from "../scripted-gopher-server.ts";

const ONE_ITEM_MENU = "0A\t/a\th\t70\r\n";
const TWO_ITEM_ATTRIBUTES =
  "+INFO: 0a\t0/a\th\t70\t+\r\n+ADMIN:\r\n Admin: A <a@b>\r\n+INFO: 0b\t0/b\th\t70\t+\r\n";

// RFC 1436, Appendix, "Menu Entity": {DirEntity} Lastline. Gopher+, section 2.3: the header of a reply.
describe("the final dot decides the completeness of a Gopher menu", () => {
  it.each([
    ["a menu with its final dot", "1", `${ONE_ITEM_MENU}.\r\n`, 1, "verified"],
    ["a menu whose final dot ends with a bare LF", "1", `${ONE_ITEM_MENU}.\n`, 1, "verified"],
    ["a menu with text after its final dot", "1", `${ONE_ITEM_MENU}.\r\nrubbish`, 1, "verified"],
    ["a menu that consists of its final dot", "1", ".\r\n", 0, "verified"],
    ["a menu without a final dot", "1", ONE_ITEM_MENU, 1, "unverified"],
    // A line with only a dot ends a menu, even without a line end.
    ["a menu whose final dot has no line end", "1", `${ONE_ITEM_MENU}.`, 1, "verified"],
    ["a menu that ends in the middle of a line", "1", `${ONE_ITEM_MENU}0B\t/b`, 2, "unverified"],
    ["an empty menu", "1", "", 0, "unverified"],
    ["a list of search results with a final dot", "7/s%09words", `${ONE_ITEM_MENU}.\r\n`, 1, "verified"],
    ["a list of search results without a final dot", "7/s%09words", ONE_ITEM_MENU, 1, "unverified"],
    [
      "a menu in a Gopher+ reply that states its length",
      "1%09%09+",
      `+${ONE_ITEM_MENU.length}\r\n${ONE_ITEM_MENU}`,
      1,
      "verified",
    ],
    [
      "a menu in a Gopher+ reply that ends with a dot",
      "1%09%09+",
      `+-1\r\n${ONE_ITEM_MENU}.\r\n`,
      1,
      "verified",
    ],
    [
      "a menu in a Gopher+ reply whose final dot is missing",
      "1%09%09+",
      `+-1\r\n${ONE_ITEM_MENU}`,
      1,
      "unverified",
    ],
    [
      "a menu in a Gopher+ reply that ends when the connection closes",
      "1%09%09+",
      `+-2\r\n${ONE_ITEM_MENU}`,
      1,
      "unverified",
    ],
    [
      "a menu with a final dot in a Gopher+ reply that ends when the connection closes",
      "1%09%09+",
      `+-2\r\n${ONE_ITEM_MENU}.\r\n`,
      1,
      "verified",
    ],
    [
      "a menu with a final dot from a server without Gopher+",
      "1%09%09+",
      `${ONE_ITEM_MENU}.\r\n`,
      1,
      "verified",
    ],
    ["a menu without a final dot from a server without Gopher+", "1%09%09+", ONE_ITEM_MENU, 1, "unverified"],
    [
      "a list of attributes with a final dot",
      "1%09%09$",
      `+-1\r\n${TWO_ITEM_ATTRIBUTES}.\r\n`,
      2,
      "verified",
    ],
    [
      "a list of attributes without a final dot",
      "1%09%09$",
      `+-1\r\n${TWO_ITEM_ATTRIBUTES}`,
      2,
      "unverified",
    ],
    [
      "a list of attributes in a reply that states its length",
      "1%09%09$",
      `+${TWO_ITEM_ATTRIBUTES.length}\r\n${TWO_ITEM_ATTRIBUTES}`,
      2,
      "verified",
    ],
  ])("the client states the completeness of %s", async (_, path, response, count, completeness) => {
    for (const chunks of [response, response.split("")]) {
      await using server = await startGopherServer(chunks);
      const menu = await dereferenceAndCheckRequest(server, path);
      if (menu.kind !== "directory") throw new Error(`it is a ${menu.kind}`);
      expect(await readMenuEntriesUntilFailure(menu)).toMatchObject({
        entries: { length: count },
        fault: undefined,
      });
      expect(await menu.completeness).toBe(completeness);
    }
  });

  it.each([
    ["in the middle of a line", `+100\r\n${ONE_ITEM_MENU}0B`, 2],
    ["between two lines", `+100\r\n${ONE_ITEM_MENU}`, 1],
  ])(
    "the client fails for a Gopher+ menu that ends %s, before its stated length",
    async (_, response, count) => {
      await using server = await startGopherServer(response);
      const menu = await dereferenceAndCheckRequest(server, "1%09%09+");
      if (menu.kind !== "directory") throw new Error(`it is a ${menu.kind}`);
      const read = await readMenuEntriesUntilFailure(menu);
      expect(read.fault).toEqual(matchErrorWithCode("incomplete", /100/));
      expect(read.entries.length).toBeLessThanOrEqual(count);
      await expect(menu.completeness).rejects.toThrow(matchErrorWithCode("incomplete"));
    },
  );
});
