import { prospero } from "@anyscheme/scheme-others/prospero";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import type { AccessError } from "@anyscheme/core";
import { decodeProsperoListing, type ProsperoEntry, prosperoSyntax } from "@anyscheme/scheme-others/prospero";
import { describe, expect, it } from "vitest";
import { createClientForServers, readEntriesUntilFailure } from "../prospero-client.ts";
import {
  createProsperoReplyHandler,
  encodeReplyInOnePacket,
  type ProsperoRequestHandler,
  startScriptedProsperoServer,
} from "../scripted-server.ts";
import { catchAccessError } from "../../../../core/test/catch-access-error.ts";

const PROSPERO_CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([prospero()]);

/** Creates a server script that first describes the object, and sends the same reply to all other requests. */
const createInfoThenReplyHandler = (info: string, then: string): ProsperoRequestHandler =>
  createProsperoReplyHandler({ "GET-OBJECT-INFO ACCESS-METHOD": info, "": then });

/** The entries of a directory, and either the error code or the completeness. */
interface DirectoryOutcome {
  readonly entries: [name: string, kind: string, size: number | undefined, fault: string | undefined][];
  readonly errorOrCompleteness: string;
}

describe("the client reports faults in a Prospero directory", () => {
  const one = "LINK  L FILE one INTERNET-D h ASCII one 0\n";
  const two = "LINK  L FILE two INTERNET-D h ASCII two 0\n";
  const size = "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12' bytes'\n";

  /** Reads a directory from a server that sends the given reply. */
  async function listed(reply: string): Promise<DirectoryOutcome> {
    await using server = await startScriptedProsperoServer(
      createInfoThenReplyHandler("FAILURE NOT-FOUND\n", reply),
    );
    await using client = createClientForServers([server]);
    const resource = await client.dereference(`prospero://127.0.0.1:${server.port}/x`);
    if (resource.kind !== "directory") throw new Error(resource.kind);
    const found: DirectoryOutcome["entries"] = [];
    try {
      for await (const entry of resource as AsyncIterable<ProsperoEntry>)
        found.push([entry.name, entry.kind, entry.size, entry.fault]);
    } catch (error) {
      return { entries: found, errorOrCompleteness: (error as AccessError).code };
    }
    return { entries: found, errorOrCompleteness: await resource.completeness };
  }

  it.each([
    ["in the first line", `LINK  L FILE it's INTERNET-D h ASCII x 0\n${two}`, []],
    ["in a later line", `${one}LINK  L FILE it's INTERNET-D h ASCII x 0\n${two}`, ["one"]],
    ["in an attribute", `${one}ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12' bytes\n${two}`, ["one"]],
    ["in the last byte", `${one}'`, ["one"]],
  ])("the client rejects a directory with an unbalanced quotation mark %s", async (_, reply, names) => {
    const { entries, errorOrCompleteness } = await listed(reply);
    expect([entries.map(([name]) => name), errorOrCompleteness]).toEqual([names, "protocol"]);
  });

  it.each([
    ["no bytes", ""],
    ["an empty line", "\n"],
    ["lines of another protocol", "HTTP/1.0 400 Bad Request\n\n<html>\n"],
    ["a warning alone", "WARNING MESSAGE later\n"],
    ["attributes alone", size],
  ])("the client rejects a directory reply of %s", async (_, reply) => {
    expect(await listed(reply)).toEqual({ entries: [], errorOrCompleteness: "protocol" });
  });

  it("the client rejects an object reply without a result, for dereference() and stat()", async () => {
    for (const reply of [
      "",
      "HTTP/1.0 400 Bad Request\n",
      "WARNING MESSAGE later\n",
      "ATTRIBUTE OBJECT\n",
      "'",
    ]) {
      await using server = await startScriptedProsperoServer(createInfoThenReplyHandler(reply, one));
      await using client = createClientForServers([server]);
      const url = `prospero://127.0.0.1:${server.port}/x`;
      expect((await catchAccessError(client.dereference(url))).code).toBe("protocol");
      expect((await catchAccessError(client.stat(url))).code).toBe("protocol");
    }
  });

  it("the client returns an invalid link as an entry with a fault", async () => {
    const odd = "LINK  L FILE odd' one' INTERNET-D h\n";
    expect(await listed(one + odd + size + two)).toEqual({
      entries: [
        ["one", "file", undefined, undefined],
        ["odd one", "unknown", 12, "the line has no host and object name"],
        ["two", "file", undefined, undefined],
      ],
      errorOrCompleteness: "verified",
    });
  });

  it("the client returns an entry with a fault for an invalid attribute", async () => {
    const { entries } = await listed(
      `${one}ATTRIBUTE OBJECT INTRINSIC\nATTRIBUTE\tOBJECT${size.slice(16)}${two}`,
    );
    expect(entries).toEqual([
      ["one", "file", 12, "the server sent a line without required fields: ATTRIBUTE OBJECT INTRINSIC"],
      ["two", "file", undefined, undefined],
    ]);
  });

  it("the client reports a directory as truncated if the server withholds information", async () => {
    const warning = "WARNING OUT-OF-DATE Some information you wanted can't be sent. Upgrade.\n";
    expect((await listed(one + warning)).errorOrCompleteness).toBe("truncated");
    expect((await listed(`WARNING MESSAGE 'it''s later'\n${one}`)).errorOrCompleteness).toBe("verified");
  });

  it.each<[what: string, then: string, fault: string | RegExp]>([
    ["a failure", "FAILURE NOT-AUTHORIZED\n", "the server refuses: NOT-AUTHORIZED"],
    ["a forward to another server", "FORWARDED INTERNET-D h ASCII x 0\n", /to another server/],
    ["no lines", "", /no result/],
  ])(
    "the client returns a union link as an entry with a fault if the reply for its directory has %s",
    async (_, then, fault) => {
      await using far = await startScriptedProsperoServer((request) => encodeReplyInOnePacket(then, request));
      await using own = await startScriptedProsperoServer(
        createInfoThenReplyHandler(
          "FAILURE NOT-FOUND\n",
          `LINK  U DIRECTORY far INTERNET-D 127.0.0.1(${far.port}) ASCII there 0\n${size}${one}`,
        ),
      );
      await using client = createClientForServers([own, far], { options: { unions: "follow" } });
      const resource = await client.dereference(`prospero://127.0.0.1:${own.port}/x`);
      if (resource.kind !== "directory") throw new Error(resource.kind);
      const found: ProsperoEntry[] = [];
      for await (const entry of resource) found.push(entry as ProsperoEntry);
      expect(found.map(({ name, kind, isUnionLink: union }) => [name, kind, union])).toEqual([
        ["one", "file", false],
        ["far", "directory", true],
      ]);
      expect(found[1]?.fault).toMatch(fault);
      expect(String(found[1]?.url)).toBe(`prospero://127.0.0.1:${far.port}/there`);
      expect(await resource.completeness).toBe("truncated");
    },
  );

  it("an abort ends the listing of the directories of union links while no server replies", async () => {
    const controller = new AbortController();
    await using far = await startScriptedProsperoServer(() => {
      controller.abort();
      return [];
    });
    const union = (name: string): string =>
      `LINK  U DIRECTORY ${name} INTERNET-D 127.0.0.1(${far.port}) ASCII ${name} 0\n`;
    await using own = await startScriptedProsperoServer(
      createInfoThenReplyHandler("FAILURE NOT-FOUND\n", one + union("a") + union("b")),
    );
    await using client = createClientForServers([own, far], { options: { unions: "follow" } });
    const resource = await client.dereference(`prospero://127.0.0.1:${own.port}/x`, {
      signal: controller.signal,
    });
    const { names, failure } = await readEntriesUntilFailure(resource);
    expect([names, failure?.code]).toEqual([["one"], "aborted"]);
  });

  it.each([
    ["20261120204018Z", "2026-11-20T20:40:18.000Z"],
    ["20240229000060Z", "2024-02-29T00:01:00.000Z"],
    ["20260231000000Z", undefined],
    ["20261320000000Z", undefined],
    ["20261120250000Z", undefined],
    ["00000000000000Z", undefined],
    ["2026112020401Z", undefined],
  ])("the client parses the LAST-MODIFIED attribute %s as the date %s", async (text, date) => {
    const listing = { limits: PROSPERO_CLIENT_LIMITS, parseUrl: (url: string) => prosperoSyntax.parse(url) };
    const reply = `${one}ATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE ${text}\n`;
    expect(decodeProsperoListing(Buffer.from(reply), listing)[0]?.modified?.toISOString()).toBe(date);
  });
});
