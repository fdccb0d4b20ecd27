import type { ClientLimits } from "@anyscheme/core";
import type { ScriptedPeer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  matchErrorWithCode,
  createOverviewLine,
  dereferenceNntpPath,
  readNntpEntriesAndFault,
  startScriptedNntpServer,
} from "../scripted-nntp-server.ts";

describe("the client limits the lists of an NNTP server", () => {
  const threeLines = createOverviewLine(1) + createOverviewLine(2) + createOverviewLine(3);
  const rows: [name: keyof ClientLimits, limit: number, given: number][] = [
    ["maxListingEntries", 2, 2],
    ["maxListingEntries", 3, 3],
    ["maxListingBytes", threeLines.length - 1, 2],
    ["maxListingBytes", threeLines.length, 3],
    ["maxNntpLineBytes", createOverviewLine(1).length - 3, 0],
    ["maxNntpLineBytes", createOverviewLine(1).length - 2, 3],
  ];

  it.each(rows)(
    "a client with the limit %s = %i yields %i articles, and names the exceeded limit",
    async (name, limit, given) => {
      const whole = `224 l\r\n${threeLines}.\r\n`;
      for (const pieces of [[whole], whole.split("")]) {
        const answer = async (peer: ScriptedPeer): Promise<void> => {
          for (const piece of pieces) {
            peer.send(piece);
            await new Promise(setImmediate);
          }
        };
        await using server = await startScriptedNntpServer({ "OVER 1-": answer });
        const { entries, fault } = await readNntpEntriesAndFault(
          await dereferenceNntpPath(server, "g", { limits: { [name]: limit } }),
        );
        expect(entries).toHaveLength(given);
        expect(fault).toEqual(given === 3 ? undefined : matchErrorWithCode("limit", new RegExp(name)));
      }
    },
  );

  it("the limit maxListingBytes applies to all ranges of a list in newest-first order together", async () => {
    const newest = createOverviewLine(300);
    const older = createOverviewLine(1);
    await using server = await startScriptedNntpServer({
      "GROUP g": "211 2 1 300 g\r\n",
      "OVER 173-300": `224 l\r\n${newest}.\r\n`,
      "OVER 1-172": `224 l\r\n${older}.\r\n`,
    });
    const list = async (maxListingBytes: number): Promise<unknown[]> => {
      const options = { order: "newest-first", limits: { maxListingBytes } } as const;
      const { entries, fault } = await readNntpEntriesAndFault(
        await dereferenceNntpPath(server, "g", options),
      );
      return [entries.length, fault];
    };
    const bytes = newest.length + older.length;
    expect(await list(bytes)).toEqual([2, undefined]);
    expect(await list(bytes - 1)).toEqual([1, matchErrorWithCode("limit", /maxListingBytes/)]);
  });

  it("the client stops an endless overview at the limit maxListingEntries", async () => {
    await using server = await startScriptedNntpServer({
      async "OVER 1-"(peer) {
        peer.send("224 l\r\n");
        const client = { gone: false };
        void peer.closed.then(() => (client.gone = true));
        while (!client.gone) {
          peer.send(createOverviewLine(1).repeat(1000));
          await new Promise(setImmediate);
        }
      },
    });
    const { entries, fault } = await readNntpEntriesAndFault(
      await dereferenceNntpPath(server, "g", { limits: { maxListingEntries: 5000 } }),
    );
    expect([entries.length, fault]).toEqual([5000, matchErrorWithCode("limit", /maxListingEntries/)]);
    await server.connections[0]?.closed;
  });
});
