import { prospero } from "@anyscheme/scheme-others/prospero";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import { decodeProsperoListing, prosperoSyntax } from "@anyscheme/scheme-others/prospero";
import { describe, expect, it } from "vitest";
import { readCapturedReplyText } from "./read-capture.ts";
import { createCaptureHandlerByCommand, startScriptedProsperoServer } from "./scripted-server.ts";
import { catchAccessError } from "../../../core/test/catch-access-error.ts";
import { readContentBytes, createClientForServers, listProsperoEntries } from "./prospero-client.ts";

const DEFAULT_PROSPERO_CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([prospero()]);

const OBJECT_INFO_REQUEST = "GET-OBJECT-INFO ACCESS-METHOD";
const CONTENTS_REQUEST = "GET-OBJECT-INFO CONTENTS";

describe("the client decodes captured contents of the original Prospero server", () => {
  it.each([
    ["40-goi-am-plus-size", "13-goi-contents", "Hello Prospero\n"],
    // The first capture states another size than that of the contents in the second capture.
    ["85-list-with-magic", "48-contents-empty-file", undefined],
  ])("the client reads contents from the captures %s and %s", async (info, contents, text) => {
    await using server = await startScriptedProsperoServer(
      createCaptureHandlerByCommand({ [CONTENTS_REQUEST]: contents, [OBJECT_INFO_REQUEST]: info }),
    );
    await using client = createClientForServers([server]);
    const reading = client
      .dereference(`prospero://127.0.0.1:${server.port}//docs/hello.txt`)
      .then(readContentBytes);
    if (text === undefined)
      expect((await catchAccessError(reading)).message).toContain(
        "ended after 0 bytes, and the server stated a size of 5 bytes",
      );
    else expect((await reading).toString()).toBe(text);
    expect(server.requests.map(({ commandLines }) => commandLines.split(" ", 2).join(" "))).toEqual([
      "GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES",
      "GET-OBJECT-INFO CONTENTS",
    ]);
  });
});

describe("the client decodes captured directories of the original Prospero server", () => {
  const list = async (
    name: string,
  ): Promise<{ entries: Awaited<ReturnType<typeof listProsperoEntries>>; headers: readonly string[] }> => {
    await using server = await startScriptedProsperoServer(
      createCaptureHandlerByCommand({ DIRECTORY: name }),
    );
    await using client = createClientForServers([server]);
    const found = await listProsperoEntries(
      await client.dereference(`prospero://127.0.0.1:${server.port}//docs`),
    );
    return { entries: found, headers: server.packetHeaders };
  };

  it("the client lists the captured directory 01-list-dir", async () => {
    const { entries: found } = await list("01-list-dir");
    const at = "prospero://LOCALHOST:15250//srv/library/prospero/tree/docs";
    expect(
      found.map(({ kind, size, modified, name, url }) => [
        kind,
        size,
        modified?.toISOString(),
        name,
        String(url),
      ]),
    ).toEqual([
      [
        "file",
        12,
        "2026-11-20T20:40:18.000Z",
        "a file with spaces.txt",
        `${at}/a%20file%20with%20spaces.txt`,
      ],
      ["file", 0, "2026-11-20T21:33:00.000Z", "empty.txt", `${at}/empty.txt`],
      ["file", 81_000, "2026-11-20T20:44:03.000Z", "big.txt", `${at}/big.txt`],
      ["file", 272, "2026-11-20T21:33:00.000Z", "tricky.bin", `${at}/tricky.bin`],
      ["file", 15, "2026-11-20T20:40:18.000Z", "hello.txt", `${at}/hello.txt`],
      ["directory", undefined, "2026-11-20T20:40:18.000Z", "sub", `${at}/sub`],
    ]);
    expect(found[0]?.accessMethods.map(({ name }) => name)).toEqual(["PROSPERO-CONTENTS", "LOCAL"]);
  });

  it.each([
    ["46-list-thousand", 1000],
    ["59b-list-names-attr", 10],
    ["04-list-none", 0],
  ])("the client decodes the captured directory %s with %i entries", (name, count) => {
    const listing = {
      limits: DEFAULT_PROSPERO_CLIENT_LIMITS,
      parseUrl: (text: string) => prosperoSyntax.parse(text),
    };
    const text = Buffer.from(readCapturedReplyText(name), "latin1");
    expect(decodeProsperoListing(text, listing)).toHaveLength(count);
    const limits = mergeLimits({ maxProsperoLinks: 5 }, DEFAULT_PROSPERO_CLIENT_LIMITS);
    const decoding = (): unknown => decodeProsperoListing(text, { ...listing, limits });
    if (count > 5) expect(decoding).toThrow("too many links");
    else expect(decoding()).toEqual([]);
  });

  it("external links of a captured directory have the URL of the access method", async () => {
    const { entries: found } = await list("67-list-links");
    expect(
      found.map(({ kind, targetType: target, isUnionLink: union, name, url }) => [
        kind,
        target,
        union,
        name,
        url && String(url),
      ]),
    ).toEqual([
      ["external", "EXTERNAL", false, "ext1", "ftp://ftp.example.org/pub/ext1.txt;type=a"],
      ["directory", "DIRECTORY", false, "other", "prospero://otherhost.example.org//some/dir"],
      ["symbolic", "SYMBOLIC", false, "sym", undefined],
      ["file", "FILE", false, "it's\na name", "prospero://otherhost.example.org//some/it's%0Aa%20name"],
      ["external", "EXTERNAL", false, "gph", "gopher://gopher.example.org:7070/11/men%20u"],
      ["directory", "DIRECTORY", false, "ported", "prospero://otherhost.example.org:191//p;OBJECT-VERSION=3"],
      ["directory", "DIRECTORY", true, "uni", "prospero://otherhost.example.org//union/dir"],
      ["directory", "DIRECTORY", true, "here", "prospero://LOCALHOST:15250//srv/library/prospero/tree/docs"],
    ]);
    expect(JSON.parse(JSON.stringify(found[5]))).toMatchObject({
      name: "ported",
      host: "otherhost.example.org",
      port: 191,
      version: "3",
    });
  });

  it("the client keeps unusual names of a captured directory unchanged", async () => {
    const { entries: found } = await list("59b-list-names-attr");
    expect(found.map(({ name }) => name)).toEqual([
      "café.txt",
      "'quoted'.txt",
      "line\nfeed.txt",
      "UPPER.TXT",
      "100%.txt",
      "don't panic.txt",
      "semi;colon=x.txt",
      "tab\there.txt",
      "plain.txt",
      "two  blanks.txt",
    ]);
    expect(found.map(({ url }) => String(url).replace(/^.*\//, ""))).toEqual([
      "caf%C3%A9.txt",
      "'quoted'.txt",
      "line%0Afeed.txt",
      "UPPER.TXT",
      "100%25.txt",
      "don't%20panic.txt",
      "semi%3Bcolon=x.txt",
      "tab%09here.txt",
      "plain.txt",
      "two%20%20blanks.txt",
    ]);
  });

  // The client sends a packet for the description and a packet for the list. The client acknowledges each window
  // but the last.
  it.each([
    ["43-list-aftp-prefix", 3, []],
    ["45-list-many", 400, ["0010", "0020"]],
    ["46-list-thousand", 1000, ["0010", "0020", "0030", "0040", "0050"]],
  ])(
    "the client lists the captured directory %s with %i links and acknowledges the packets %j",
    async (name, count, acknowledged) => {
      const { entries: found, headers } = await list(name);
      expect(found).toHaveLength(count);
      expect(headers).toEqual([
        "09 000100010000",
        "09 000100010000",
        ...acknowledged.map((through) => `09 00000000${through}`),
      ]);
    },
  );
});
