import { anyAddress, createClient } from "@anyscheme/core";
import { news } from "@anyscheme/scheme-others/news";
import { startNntpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { matchErrorWithCode } from "../nntp/scripted-nntp-server.ts";
import { matchesWildmat } from "../../src/news/news-servers.ts";

// RFC 3977 §4.4, and the patterns of §4.2
describe("matchesWildmat matches wildmats of RFC 3977", () => {
  it.each([
    ["a*,!*b,*c*", "abc", true],
    ["a*,!*b,*c*", "aaa", true],
    ["a*,!*b,*c*", "aab", false],
    ["a*,!*b,*c*", "ccb", true],
    ["a*,!*b,*c*", "xxx", false],
    ["*", "comp.lang.c", true],
    ["*", "", true],
    ["comp.*", "comp.lang.c", true],
    ["comp.*", "comp", false],
    ["comp.*", "alt.comp.x", false],
    ["comp.lang.?", "comp.lang.c", true],
    ["comp.lang.?", "comp.lang.cc", false],
    ["comp.lang.c++", "comp.lang.c++", true],
    ["comp.lang.c.*", "compxlangxcxx", false],
    ["*.test", "a.b.test", true],
    ["*a*b*c*", "xaxbxcx", true],
    ["*a*b*c*", "xaxcxbx", false],
    ["comp.*, !comp.binaries.*", "comp.binaries.x", false],
    ["!comp.*", "alt.x", false],
    ["", "a", false],
  ])("matchesWildmat for the wildmat %s and the name %s returns %s", (wildmat, name, fits) => {
    expect(matchesWildmat(name, wildmat)).toBe(fits);
  });

  it("matchesWildmat matches a malicious wildmat without exponential time", () => {
    expect(matchesWildmat("a".repeat(5000), `${"*a".repeat(500)}*b`)).toBe(false);
  });
});

describe("the client chooses the servers for a pattern of group names", () => {
  it.each<[url: `news:${string}`, groups: string[], binaryServerIsAsked: boolean]>([
    ["news:comp.*", ["comp.binaries.y", "comp.lang.c", "comp.lang.d"], false],
    ["news:comp.lang.%3F", ["comp.lang.c", "comp.lang.d"], false],
    ["news:comp.lang.*,!*.c", ["comp.lang.d"], false],
    ["news:comp.binaries.x*", ["comp.binaries.x"], true],
    // The binary server has no such group, so the client asks the next server.
    ["news:comp.binaries.y*", ["comp.binaries.y"], true],
    ["news:comp.binaries.x*,comp.lang.*", ["comp.lang.c", "comp.lang.d"], false],
  ])("client.list of %s yields the groups %j", async (url, groups, binaryServerIsAsked) => {
    await using binaries = await startNntpTestServer({ groups: { "comp.binaries.x": { articles: [] } } });
    await using other = await startNntpTestServer({
      groups: Object.fromEntries(
        ["alt.x", "comp.binaries.y", "comp.lang.c", "comp.lang.d"].map((name) => [name, { articles: [] }]),
      ),
    });
    const servers = [
      { host: "127.0.0.1", port: binaries.port, groups: "comp.binaries.*" },
      { host: "127.0.0.1", port: other.port },
    ];
    await using client = createClient({ schemes: [news({ servers })], policy: anyAddress() });
    const entries = await Array.fromAsync(client.list(url));
    expect(entries.map(({ name }) => name)).toEqual(groups);
    expect(binaries.receivedLines.length > 0).toBe(binaryServerIsAsked);
  });

  it("a pattern that no group of any server matches is not-found", async () => {
    await using server = await startNntpTestServer({ groups: { "alt.x": { articles: [] } } });
    const servers = [{ host: "127.0.0.1", port: server.port, groups: "alt.*" }];
    await using client = createClient({ schemes: [news({ servers })], policy: anyAddress() });
    for (const url of ["news:comp.*", "news:alt.y*"] as const)
      await expect(Array.fromAsync(client.list(url))).rejects.toThrow(
        matchErrorWithCode("not-found", /no group of the server matches/),
      );
    expect(await Array.fromAsync(client.list("news:*.x"))).toHaveLength(1);
  });
});
