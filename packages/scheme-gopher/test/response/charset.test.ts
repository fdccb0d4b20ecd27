import { describe, expect, it } from "vitest";
import {
  dereferenceAndCheckRequest,
  startGopherServer,
  readBodyTextAndCompleteness,
  createGopherClient,
  readMenuEntriesUntilFailure,
} from "../scripted-gopher-server.ts";

describe("the client decodes a Gopher text in a charset", () => {
  it.each([
    ["caf\xc3\xa9", undefined, "caf\u00e9", "text/plain"],
    ["caf\xe9", undefined, "caf\u00e9", "text/plain"],
    ["caf\xe9 \xc3\xa9", undefined, "caf\u00e9 \u00c3\u00a9", "text/plain"],
    ["\xc1", "koi8-r", "\u0430", "text/plain; charset=koi8-r"],
    ["\xc3\xa9", "latin1", "\u00c3\u00a9", "text/plain; charset=latin1"],
    ["\xff", "utf-8", "\ufffd", "text/plain; charset=utf-8"],
    ['\x1b$B$"\x1b(B', "iso-2022-jp", "\u3042", "text/plain; charset=iso-2022-jp"],
  ])("the client decodes the bytes %j in the charset %s as %j", async (bytes, charset, text, mediaType) => {
    await using server = await startGopherServer(bytes);
    const resource = await dereferenceAndCheckRequest(server, "0/t", { charset });
    if (resource.kind !== "content") throw new Error("it is no content");
    expect([await resource.text(), resource.mediaType]).toEqual([text, mediaType]);
    await using again = await startGopherServer(bytes);
    expect(
      (await readBodyTextAndCompleteness(await dereferenceAndCheckRequest(again, "0/t", { charset })))[0],
    ).toBe(bytes);
  });

  it("the client does not add a charset to the media type of an image", async () => {
    await using server = await startGopherServer("\x89PNG");
    expect(await dereferenceAndCheckRequest(server, "I/x.png", { charset: "koi8-r" })).toMatchObject({
      mediaType: "image/png",
    });
  });
});

describe("the client decodes a Gopher menu in a charset", () => {
  it.each([
    ["\xc1", undefined, "\u00c1"],
    ["\xc1", "koi8-r", "\u0430"],
  ])(
    "the client decodes the name %j of a menu entry in the charset %s as %j",
    async (bytes, charset, name) => {
      await using server = await startGopherServer(`0${bytes}\t/${bytes}\th\t70\r\njust ${bytes}\r\n`);
      const { entries: found } = await readMenuEntriesUntilFailure(
        await dereferenceAndCheckRequest(server, "1", { charset }),
      );
      expect(found.map((entry) => [entry.name, entry.url?.href])).toEqual([
        [name, "gopher://h/0/%C1"],
        [`just ${name}`, undefined],
      ]);
    },
  );

  it("the client decodes the attributes in a menu with the requested charset", async () => {
    await using server = await startGopherServer(
      "+-1\r\n+INFO: 0\xc1\ta\th\t70\t+\r\n+ABSTRACT:\r\n \xc1\r\n.\r\n",
    );
    const { entries: found } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(server, "1%09%09$", { charset: "koi8-r" }),
    );
    expect([found[0]?.name, found[0]?.attributes?.abstract]).toEqual(["\u0430", "\u0430"]);
  });
});

it("the client refuses to plan a request with an unknown charset", () => {
  expect(() => createGopherClient(70).plan("gopher://h.example/0a", { charset: "x-none" })).toThrow(
    /the option "charset" has to be the name of a charset that TextDecoder accepts, .* and not "x-none"/,
  );
});
