import type { TraceListener } from "@anyscheme/core/plugin";
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  dereferenceAndCheckRequest,
  startGopherServer,
  readBodyTextAndCompleteness,
  createGopherClient,
  readMenuEntriesUntilFailure,
  matchErrorWithCode,
} from "./scripted-gopher-server.ts";

const ITEM_ATTRIBUTES =
  "+INFO: 0hello\t0/hello.txt\tlocalhost\t70\t+\r\n+VIEWS:\r\n Text/plain En_US: <.0k>\r\n";
const TWO_ITEM_MENU = "0A\t/a\tlocalhost\t70\r\n1B\t/b\tlocalhost\t70\r\n";

describe("the client reads the content of a Gopher item", () => {
  it.each([
    ["0/t", "one\r\n.dot\r\n.\r\n", "one\r\n.dot\r\n", "verified", "text/plain"],
    ["0/t", "one\n.\ntwo", "one\n.\ntwo", "unverified", "text/plain"],
    ["0/t", "", "", "unverified", "text/plain"],
    ["0/t", "3 apples\n", "3 apples\n", "unverified", "text/plain"],
    ["9/x.zip", "PK\0\r\n.\r\n", "PK\0\r\n.\r\n", "unverified", "application/zip"],
    ["I/x.png", "\x89PNG", "\x89PNG", "unverified", "image/png"],
    ["h/x", "<p>\n.\n", "<p>\n.\n", "unverified", "text/html"],
    ["0/t%09%09+", "+5\r\n.\r\nab.\r\n", ".\r\nab", "verified", "text/plain"],
    ["0/t%09%09+", "+0\r\n", "", "verified", "text/plain"],
    ["0/t%09%09+", "+-1\r\none\n.two\n.\r\nrubbish", "one\n.two\n", "verified", "text/plain"],
    ["0/t%09%09+", "+-1\r\none\n", "one\n", "unverified", "text/plain"],
    ["0/t%09%09+", "+-2\r\none\n.\r\n", "one\n.\r\n", "unverified", "text/plain"],
    ["0/t%09%09+", "one\n.\r\n", "one\n", "verified", "text/plain"],
    ["0/t%09%09+", "+", "+", "unverified", "text/plain"],
    ["0/t%09%09!", `+-1\r\n${ITEM_ATTRIBUTES}.\r\n`, ITEM_ATTRIBUTES, "verified", "text/plain"],
    ["0/t%09%09!", `+-2\r\n${ITEM_ATTRIBUTES}`, ITEM_ATTRIBUTES, "unverified", "text/plain"],
    ["9/t.zip%09%09!", "PK\0", "PK\0", "unverified", "application/zip"],
    ["9/t.zip%09%09+image/gif", "PK\0", "PK\0", "unverified", "application/zip"],
    ["0/t%09%09+text/html", "+3\r\n<p>", "<p>", "verified", "text/html"],
    ["9/t%09%09+", "+-1\r\n\0\n.\r\n", "\0\n", "verified", "application/octet-stream"],
  ])(
    "the client reads the content of the path %s from the server response %j",
    async (path, response, text, completeness, mediaType) => {
      for (const chunks of [response, response.split("")]) {
        await using server = await startGopherServer(chunks);
        const resource = await dereferenceAndCheckRequest(server, path);
        expect(resource).toMatchObject({ kind: "content", mediaType });
        expect(await readBodyTextAndCompleteness(resource)).toEqual([text, completeness]);
      }
    },
  );

  it("the client returns the content size that the header of a Gopher+ reply states", async () => {
    await using server = await startGopherServer("+3\r\nabc");
    expect(await dereferenceAndCheckRequest(server, "9/x%09%09+")).toMatchObject({ size: 3 });
  });

  it("the client ends a body after its stated length although the server keeps the connection open", async () => {
    await using server = await startGopherServer("+3\r\nabc", "stay");
    expect(await readBodyTextAndCompleteness(await dereferenceAndCheckRequest(server, "9/x%09%09+"))).toEqual(
      ["abc", "verified"],
    );
    await server.connections[0]?.closed;
  });

  it("with doubledDots: undo, the client replaces two dots at the beginning of a text line with one dot", async () => {
    await using server = await startGopherServer("..one\r\n.\r\n");
    expect(
      await readBodyTextAndCompleteness(
        await dereferenceAndCheckRequest(server, "0/t", { doubledDots: "undo" }),
      ),
    ).toEqual([".one\r\n", "verified"]);
  });

  it.each([
    ["0/t%09%09+", ".one\r\n"],
    ["0/t%09%09+text/plain", ".one\r\n"],
    ["9/t%09%09+", "..one\r\n"],
    ["0/t%09%09!", "..one\r\n"],
  ])(
    "with doubledDots: undo, the client reads the Gopher+ reply with a final dot to %s as %j",
    async (path, text) => {
      await using server = await startGopherServer("+-1\r\n..one\r\n.\r\n");
      const resource = await dereferenceAndCheckRequest(server, path, { doubledDots: "undo" });
      expect(await readBodyTextAndCompleteness(resource)).toEqual([text, "verified"]);
    },
  );

  it("the client returns the response to a submitted Gopher+ form as content", async () => {
    const answers = "110\r\nYes\r\n";
    await using server = await startGopherServer("+-1\r\nYou answered:\n110\nYes\n.\r\n");
    const form = `+\t1\r\n+-1\r\n${answers}.\r\n`;
    const resource = await dereferenceAndCheckRequest(server, `0/order%09%09${encodeURIComponent(form)}`, {
      allowForms: true,
    });
    expect(await readBodyTextAndCompleteness(resource)).toEqual(["You answered:\n110\nYes\n", "verified"]);
    expect(server.connections[0]?.received.toString()).toBe(`/order\t${form}`);
  });

  it("the client reads a text of many chunks completely", async () => {
    const text = "line\r\n.\r\n..\r\n".repeat(50_000);
    await using server = await startGopherServer(`${text}.\r\n`);
    const [received, completeness] = await readBodyTextAndCompleteness(
      await dereferenceAndCheckRequest(server, "0/t"),
    );
    expect(completeness).toBe("verified");
    expect(received === text).toBe(true);
  });
});

describe("the client reads the entries of a Gopher menu", () => {
  it.each([
    ["", `${TWO_ITEM_MENU}.\r\n`],
    ["1/dir", TWO_ITEM_MENU],
    ["1/dir", TWO_ITEM_MENU.slice(0, -2)],
    ["7/find%09two%20words", `${TWO_ITEM_MENU}.\r\n`],
    ["1/dir%09%09+", `+-1\r\n${TWO_ITEM_MENU}.\r\n`],
    ["1/dir%09%09+", `+-2\r\n${TWO_ITEM_MENU}`],
    ["1/dir%09%09+", `+${TWO_ITEM_MENU.length}\r\n${TWO_ITEM_MENU}.\r\n`],
    ["1/dir%09%09+application/gopher-menu", `+-1\r\n${TWO_ITEM_MENU}.\r\n`],
    ["1/dir%09%09+", `${TWO_ITEM_MENU}.\r\n`],
  ])("the client yields the entries of the menu at the path %s", async (path, response) => {
    for (const chunks of [response, response.split("")]) {
      await using server = await startGopherServer(chunks);
      const { entries: found, fault } = await readMenuEntriesUntilFailure(
        await dereferenceAndCheckRequest(server, path),
      );
      expect(fault).toBeUndefined();
      expect(found.map(({ url }) => url?.href)).toEqual(["gopher://localhost/0/a", "gopher://localhost/1/b"]);
    }
  });

  it("the client yields the first menu entry before the second line has arrived", async () => {
    await using server = await startGopherServer("0A\t/a\tlocalhost\t70\r\n", "stay");
    const resource = await dereferenceAndCheckRequest(server, "1");
    if (resource.kind !== "directory") throw new Error("it is no menu");
    for await (const entry of resource) {
      expect(entry.name).toBe("A");
      break;
    }
    await server.connections[0]?.closed;
  });

  it("the client closes the connection when a menu is closed before its entries are read", async () => {
    await using server = await startGopherServer(TWO_ITEM_MENU, "stay");
    await (await dereferenceAndCheckRequest(server, "1")).close();
    await server.connections[0]?.closed;
  });

  it("the client ends a menu at its final dot although the server keeps the connection open", async () => {
    await using server = await startGopherServer(`${TWO_ITEM_MENU}.\r\n`, "stay");
    const { entries: found, fault } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(server, "1"),
    );
    expect([found.length, fault]).toEqual([2, undefined]);
    await server.connections[0]?.closed;
  });

  it("the client yields no entries for a menu that consists of the final dot", async () => {
    await using server = await startGopherServer(".\r\n");
    expect(await readMenuEntriesUntilFailure(await dereferenceAndCheckRequest(server, "1"))).toEqual({
      entries: [],
      fault: undefined,
    });
  });
});

describe("the client detects an error that a Gopher server sends", () => {
  it.each([
    [
      "0/x",
      "0'/nosuch' does not exist!!\t\terror.host\t1\r\n.\r\n",
      "not-found",
      /'\/nosuch' does not exist!!: dereference/,
    ],
    ["9/x", "3Gone\t\terror.host\t1\r\n", "not-found", /the server refuses: Gone/],
    ["9/x", "3Access denied\t\terror.host\t1\r\n", "permission-denied", /Access denied/],
    ["1/x", "3Gone\tTITLE\tnull.host\t1\r\ni\t\tnull.host\t1\r\n.\r\n", "not-found", /Gone/],
    ["0/x%09%09+", "0Malformed command\t\terror.host\t1\r\n.\r\n", "not-found", /Malformed command/],
    [
      "0/x%09%09+",
      "--1\r\n1 Admin <a@b.example>\r\nIt does not exist!!\r\n",
      "not-found",
      /It does not exist!!/,
    ],
    ["0/x%09%09+", "--1\r\n1 Admin <a@b.example>\r\nNo\r\n.\r\nrubbish", "not-found", /refuses: No: /],
    ["0/x%09%09+", "--2\r\n2 Admin <a@b.example>\r\nToo busy", "unavailable", /Too busy/],
    [
      "0/x%09%09+",
      "-38\r\n1 Admin <a@b.example>\r\nno such item.\r\nrubbish",
      "not-found",
      /refuses: no such item\.: /,
    ],
    ["0/x%09%09+", "--1\r\n3 Admin <a@b.example>\r\n0Moved\tx\th\t70\r\n.\r\n", "not-found", /0Moved x h 70/],
    ["1/x%09%09$", "-1 No such item\r\n", "not-found", /No such item/],
    ["1/x%09%09$", "-9\r\n", "unavailable", /no reason given/],
  ])(
    "the client rejects the request for the path %s with the error in the server response %j",
    async (path, response, code, message) => {
      for (const chunks of [response, response.split("")]) {
        await using server = await startGopherServer(chunks);
        await expect(dereferenceAndCheckRequest(server, path)).rejects.toThrow(
          matchErrorWithCode(code, message),
        );
        await server.connections[0]?.closed;
      }
    },
  );

  const admin = "1 Test Administrator <gopher@localhost>\r\n";

  // UMN's gopherd sends Gopher+ errors in response to plain Gopher requests, especially searches.
  it.each([
    [
      "7/s%09words",
      `--1\r\n${admin}Unknown index type\r\n.\r\n`,
      "not-found",
      /refuses: Unknown index type: /,
    ],
    ["7/s%09words", `--1\r\n${admin}Unknown index type\r\n`, "not-found", /refuses: Unknown index type: /],
    ["7/s%09words", "--1\r\n2 Admin\r\nToo busy\r\n.\r\n", "unavailable", /Too busy/],
    ["7/s%09words", "--2\n2 Admin <a@b>\nToo busy\n", "unavailable", /Too busy/],
    ["7/s%09words", "--1\r\n", "unavailable", /no reason given/],
    ["7/s%09words", "-1 No such index\r\n.\r\n", "not-found", /No such index/],
    ["1/dir", `--1\r\n${admin}'/dir' does not exist!!\r\n.\r\n`, "not-found", /'\/dir' does not exist!!/],
    ["1/dir", "-2 Too busy\r\n", "unavailable", /Too busy/],
    ["", `--1\r\n${admin}No\r\n`, "not-found", /refuses: No: /],
    ["0/t", `--1\r\n${admin}'/t' does not exist!!\r\n.\r\n`, "not-found", /'\/t' does not exist!!/],
    ["9/t", `--1\r\n${admin}'/t' does not exist!!\r\n`, "not-found", /'\/t' does not exist!!/],
    ["h/t", `--1\r\n${admin}'/t' does not exist!!\r\n`, "not-found", /'\/t' does not exist!!/],
  ])(
    "the client rejects a plain request for the path %s with the Gopher+ error in the server response %j",
    async (path, response, code, message) => {
      for (const chunks of [response, response.split("")]) {
        await using server = await startGopherServer(chunks);
        await expect(dereferenceAndCheckRequest(server, path)).rejects.toThrow(
          matchErrorWithCode(code, message),
        );
        await server.connections[0]?.closed;
      }
    },
  );

  it.each([
    ["0/t", "--1\r\nis how an error begins\r\n"],
    ["0/t", "--1\n"],
    ["0/t", "-1 degree\r\n"],
    ["0/t", "-"],
    ["9/t", "--1\r\n1\r\n"],
    ["9/t", "--2"],
  ])(
    "the client does not mistake the content of the path %s for a server error: %j",
    async (path, content) => {
      for (const chunks of [content, content.split("")]) {
        await using server = await startGopherServer(chunks);
        expect((await readBodyTextAndCompleteness(await dereferenceAndCheckRequest(server, path)))[0]).toBe(
          content,
        );
      }
    },
  );

  it.each([
    ["-item\t/a\th\t70\r\n", "item"],
    ["-1\t/a\th\t70\r\n", "1"],
    ["--1\t/a\th\t70\r\n", "-1"],
    ["--1\r\n0A\t/a\th\t70\r\n", "--1"],
    ["-1 one\r\n0A\t/a\th\t70\r\n", "-1 one"],
    ["-", "-"],
  ])("the client does not mistake the menu %j for a server error", async (menu, first) => {
    for (const chunks of [menu, menu.split("")]) {
      await using server = await startGopherServer(chunks);
      const { entries: found, fault } = await readMenuEntriesUntilFailure(
        await dereferenceAndCheckRequest(server, "1"),
      );
      expect([found[0]?.name, fault]).toEqual([first, undefined]);
    }
  });

  it("the client reports a server error although the server resets the connection after it", async () => {
    let resetConnection = (): void => undefined;
    const heard = new Promise<void>((resolve) => (resetConnection = resolve));
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send("--1\r\n1 Admin\r\nIt does not exist\r\n");
      await heard;
      peer.reset();
    });
    const traceListener: TraceListener = ({ action }) => {
      if (action === "receive") resetConnection();
    };
    await expect(dereferenceAndCheckRequest(server, "0/x%09%09+", { trace: traceListener })).rejects.toThrow(
      matchErrorWithCode("not-found", /does not exist/),
    );
  });
});

describe("the client refuses item types that Gopher servers do not serve", () => {
  it.each([
    ["2", "unsupported", /CSO/],
    ["3x", "no-content", /error line/],
    ["ix", "no-content", /information line/],
    ["8guest%20a", "no-content", /open telnet:\/\/guest%20a@127\.0\.0\.1:\d+\//],
    ["T", "no-content", /open tn3270:\/\/127\.0\.0\.1:\d+\//],
  ])("the client refuses the Gopher path %s without a connection", async (path, code, message) => {
    await using server = await startForbiddenServer();
    const url = `gopher://127.0.0.1:${server.port}/${path}`;
    await expect(createGopherClient(server.port).dereference(url)).rejects.toThrow(
      matchErrorWithCode(code, message),
    );
    expect(server.connections).toHaveLength(0);
  });
});
