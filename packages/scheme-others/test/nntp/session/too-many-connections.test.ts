import { anyAddress, createClient } from "@anyscheme/core";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { describe, expect, it } from "vitest";
import { DEFAULT_NNTP_REPLIES } from "../scripted-nntp-server.ts";

/** The behavior of a server that refuses a connection, at the greeting or at GROUP. */
type RefuseConnection = (peer: ScriptedPeer) => void;

/** Starts a server that accepts at most `most` connections at a time. */
function startServerWithConnectionLimit(
  most: number,
  refuse: RefuseConnection,
  at: "" | "GROUP g" = "",
): Promise<LoopbackServer> {
  let open = 0;
  return startScriptedServer(async (peer) => {
    const exceedsLimit = ++open > most;
    try {
      for (let line: string | undefined = ""; line !== undefined; line = await peer.readLine()) {
        if (exceedsLimit && line === at) return refuse(peer);
        const answer = DEFAULT_NNTP_REPLIES[line] ?? "500 what?\r\n";
        if (typeof answer === "string") peer.send(answer);
      }
    } finally {
      open--;
    }
  });
}

const createRefusal =
  (reply: string): RefuseConnection =>
  (peer) =>
    peer.send(`${reply}\r\n`);

const CONNECTION_REFUSALS: [string, RefuseConnection, "" | "GROUP g"][] = [
  ["a server that greets the third connection with 400", createRefusal("400 too many connections"), ""],
  [
    "a server that greets the third connection with another 400 text",
    createRefusal("400 come back later"),
    "",
  ],
  [
    "a server that greets the third connection with 502",
    createRefusal("502 Too many connections from your host"),
    "",
  ],
  ["a server that closes the connection before its greeting", () => undefined, ""],
  ["a server that resets the connection before its greeting", (peer) => peer.reset(), ""],
  ["a server that answers GROUP with 502", createRefusal("502 too many connections"), "GROUP g"],
  ["a server that answers GROUP with 400", createRefusal("400 connection limit reached"), "GROUP g"],
];

describe("requests to NNTP servers that limit the number of connections", () => {
  it.each(CONNECTION_REFUSALS)(
    "the client completes 30 concurrent requests over 2 connections to %s",
    async (_, refuse, at) => {
      await using server = await startServerWithConnectionLimit(2, refuse, at);
      await using client = createClient({ schemes: [nntp()], policy: anyAddress() });
      const url = `nntp://127.0.0.1:${server.port}/g/1`;
      const fetchText = async (): Promise<string> => {
        const resource = await client.dereference(url as "nntp://h/g/1");
        if (resource.kind !== "content") throw new TypeError(resource.kind);
        return resource.text();
      };
      expect(await Promise.all(Array.from({ length: 30 }, fetchText))).toEqual(
        Array.from({ length: 30 }, () => "Subject: first\r\n\r\nbody\r\n"),
      );
      // The client opens eight connections at once, and then only a few more.
      expect(server.connections.length).toBeLessThan(20);
    },
  );

  it("the client reports the text of the server when it refuses the only connection", async () => {
    await using server = await startServerWithConnectionLimit(0, createRefusal("400 too many connections"));
    await using client = createClient({ schemes: [nntp()], policy: anyAddress() });
    const work = client.dereference(`nntp://127.0.0.1:${server.port}/g/1`);
    await expect(work).rejects.toMatchObject({
      code: "unavailable",
      reason: "the server answered the connection with: 400 too many connections",
    });
    expect(server.connections.length).toBe(1);
  });
});
