import { Socket } from "node:net";
import { createClient, anyAddress } from "@anyscheme/core";
import type { ScriptedPeer } from "@anyscheme/core/testing";
import { afterEach, expect, it, vi } from "vitest";
import { ftp } from "../../src/index.ts";
import { staySilentUntilClientCloses, startScriptedFtpServer } from "../scripted-ftp-server.ts";

afterEach(() => void vi.restoreAllMocks());

/** Returns an array that records the port of each new connection. */
function recordConnectionPorts(): number[] {
  const ports: number[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- called below, on the socket
  const { connect } = Socket.prototype;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...given: unknown[]) {
    const [first] = given.flat() as [{ readonly port?: number }];
    ports.push(first.port ?? 0);
    return Reflect.apply(connect, this, given) as Socket;
  });
  return ports;
}

it.each([6667, 6000, 10_080, 2049, 22])(
  "the client does not upload to the refused port %i that the server offers",
  async (port) => {
    await using server = await startScriptedFtpServer({
      replies: { EPSV: `229 extended passive (|||${port}|)\r\n`, STOR: "150 go on\r\n" },
    });
    const ports = recordConnectionPorts();
    await using client = createClient({ schemes: [ftp()], policy: anyAddress() });
    const put = client.put(`ftp://me:secret@127.0.0.1:${server.port}/a`, "NICK me\r\nJOIN #here\r\n");
    await expect(put).rejects.toMatchObject({ code: "refused-port" });
    // The client requests two other ports on new control connections.
    expect(ports).toEqual([server.port, server.port, server.port]);
  },
);

it("the client requests another port after the policy has refused the port of a data connection", async () => {
  let offered = 0;
  await using server = await startScriptedFtpServer({
    replies: {
      EPSV: (peer) =>
        peer.send(`229 extended passive (|||${offered++ === 0 ? 6667 : server.dataServer.port}|)\r\n`),
      RETR: async (peer) => {
        if (offered === 1) return staySilentUntilClientCloses(peer);
        peer.send("150 here it comes\r\n226 done\r\n");
      },
    },
  });
  const ports = recordConnectionPorts();
  await using client = createClient({ schemes: [ftp()], policy: anyAddress() });
  const resource = await client.dereference(`ftp://127.0.0.1:${server.port}/a.bin`);
  if (resource.kind !== "content") throw new TypeError(resource.kind);
  expect(await resource.text()).toBe("hello");
  expect(ports).toEqual([server.port, server.port, server.dataServer.port]);
});

// A server truncates the file when it receives STOR, even if the client never connects.
it.each([
  ["STOR", {}],
  ["APPE", { offset: "end" }],
  ["STOR", { offset: 4 }],
] as const)("the client sends %s with %j only when the data connection is open", async (command, options) => {
  let offered = 0;
  const offeredAtUpload: number[] = [];
  const acceptUpload = (peer: ScriptedPeer): void => {
    offeredAtUpload.push(offered);
    peer.send("150 go on\r\n226 done\r\n");
  };
  await using server = await startScriptedFtpServer({
    replies: {
      EPSV: (peer) =>
        peer.send(`229 extended passive (|||${++offered === 2 ? 6667 : server.dataServer.port}|)\r\n`),
      REST: "350 restarting\r\n",
      [command]: acceptUpload,
    },
  });
  await using client = createClient({ schemes: [ftp()], policy: anyAddress() });
  // The client opens its first data connection to a server before it sends the transfer command.
  for (const bytes of ["first", "second"])
    await client.put(`ftp://me:secret@127.0.0.1:${server.port}/a.bin`, bytes, options);
  expect(offeredAtUpload).toEqual([1, 3]);
});
