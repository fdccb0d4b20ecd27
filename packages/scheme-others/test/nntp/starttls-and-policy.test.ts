import { anyAddress, createClient, publicInternet } from "@anyscheme/core";
import { startForbiddenServer, startScriptedServer } from "@anyscheme/core/testing";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { describe, expect, it } from "vitest";
import {
  createNntpTestClient,
  dereferenceNntpPath,
  getReceivedLines,
  matchErrorWithCode,
  startScriptedNntpServer,
} from "./scripted-nntp-server.ts";

describe("the option startTls: require starts TLS", () => {
  const client = (): ReturnType<typeof createNntpTestClient> => createNntpTestClient({ startTls: "require" });

  it.each([
    ["580 no\r\n", "unavailable"],
    ["502 no\r\n", "permission-denied"],
    ["500 what?\r\n", "unsupported"],
    ["382 go on\r\n281 forged\r\n", "protocol"],
    ["382 go on\r\nnot TLS at all", "protocol"],
  ])("the client rejects the request when the server answers STARTTLS with %j", async (answer, code) => {
    await using server = await startScriptedNntpServer({ STARTTLS: answer });
    await expect(dereferenceNntpPath(server, "g/1", {}, client())).rejects.toThrow(matchErrorWithCode(code));
    expect(getReceivedLines(server)[0]?.[0]).toBe("STARTTLS");
    expect(server.connections[0]?.received.toString("latin1")).not.toContain("GROUP");
  });

  it.each([
    ["502 no\r\n", ["STARTTLS", "MODE READER"], "permission-denied"],
    ["201 reader\r\n", ["STARTTLS", "MODE READER", "STARTTLS"], "unsupported"],
  ])(
    "the client sends MODE READER after the reply 401 to STARTTLS, and starts TLS only after the reply 382: %j",
    async (answer, lines, code) => {
      await using server = await startScriptedNntpServer({
        STARTTLS: "401 MODE-READER\r\n",
        "MODE READER": answer,
      });
      await expect(dereferenceNntpPath(server, "g/1", {}, client())).rejects.toThrow(
        matchErrorWithCode(code),
      );
      expect(getReceivedLines(server)).toEqual([lines]);
    },
  );

  it("the client rejects the request when the reply to STARTTLS arrives before the command", async () => {
    await using server = await startScriptedNntpServer({ "": "200 ready\r\n382 go on\r\n" });
    await expect(dereferenceNntpPath(server, "g/1", {}, client())).rejects.toThrow(
      matchErrorWithCode("protocol", /before any command: 382/),
    );
    expect(getReceivedLines(server)).toEqual([[]]);
  });
});

describe("the policy of the client applies to nntp", () => {
  it("the client refuses an nntp server at a private address or at a refused port", async () => {
    await using forbiddenServer = await startForbiddenServer();
    const publicClient = createClient({ schemes: [nntp()], policy: publicInternet() });
    await expect(publicClient.dereference(`nntp://127.0.0.1:${forbiddenServer.port}/g/1`)).rejects.toThrow(
      matchErrorWithCode("refused-address"),
    );
    const localClient = createClient({ schemes: [nntp()], policy: anyAddress() });
    for (const port of [0, 1, 25, 80, 118, 563, 1023, 6667])
      await expect(localClient.dereference(`nntp://127.0.0.1:${port}/g/1`)).rejects.toThrow(
        matchErrorWithCode("refused-port"),
      );
    expect(forbiddenServer.connections).toHaveLength(0);
  });

  it("the client refuses an NNTP command that is longer than 512 bytes", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    await expect(dereferenceNntpPath(server, `${"a".repeat(505)}/1`)).rejects.toThrow(
      matchErrorWithCode("limit", /maxCommandBytes/),
    );
    expect(server.connections).toHaveLength(0);
  });
});
