import { type Client, createClient, type Resource, trusted } from "@anyscheme/core";
import type { Peer } from "@anyscheme/core/testing";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { afterEach, describe, expect, it } from "vitest";
import { type FtpScript, type FtpServer, gone, startFtpServer } from "./ftp-server.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function start(script: FtpScript = {}, options: FtpOptions = {}): Promise<[FtpServer, Client]> {
  const server = await startFtpServer(script);
  const client = createClient({ schemes: [ftp(options)], policy: trusted() }) as unknown as Client;
  open.push(server, client);
  return [server, client];
}

const at = ({ port }: FtpServer, path = "/a.bin"): string => `ftp://127.0.0.1:${port}${path}`;

async function textOf(resource: Resource): Promise<string> {
  if (resource.kind !== "content") throw new TypeError(resource.kind);
  return resource.text();
}

describe("the octets of a file", () => {
  it.each([
    ["as many as SIZE told", "213 5\r\n", "hello"],
    ["more than SIZE told, since the file may have grown", "213 4\r\n", "hello"],
    ["any number where SIZE tells nothing", "213 many\r\n", "hello"],
  ])("%s", async (_, answer, expected) => {
    const [server, client] = await start({ answers: { SIZE: answer } });
    expect(await textOf(await client.dereference(at(server)))).toBe(expected);
  });

  it("fewer than SIZE told are incomplete, whatever the server confirms", async () => {
    const [server, client] = await start({ answers: { SIZE: "213 6\r\n" } });
    const resource = await client.dereference(at(server));
    expect(resource).toMatchObject({ size: 6 });
    await expect(textOf(resource)).rejects.toMatchObject({
      code: "incomplete",
      what: "the server sent 5 of 6 octets",
    });
  });

  it("do not come when they have not changed", async () => {
    const [server, client] = await start({ answers: { MDTM: "213 20260101000000\r\n" } });
    const since = (text: string): Promise<Resource> =>
      client.dereference(at(server), { ifModifiedSince: new Date(text) });
    expect(await since("2026-01-01T00:00:00Z")).toMatchObject({
      kind: "not-modified",
      modified: new Date("2026-01-01T00:00:00Z"),
    });
    expect(await textOf(await since("2025-12-31T23:59:59Z"))).toBe("hello");
    expect(server.control.connections.length).toBe(1);
  });

  it("of a text are counted in no way", async () => {
    const [server, client] = await start();
    const reading = client.dereference(at(server, "/a.txt;type=a"), { range: { start: 1 } });
    await expect(reading).rejects.toMatchObject({ code: "unsupported" });
    expect(server.control.connections.length).toBe(0);
  });
});

describe("a transfer that breaks", () => {
  const breaking = (answers: FtpScript["answers"]): FtpScript => {
    let count = 0;
    return {
      answers: { SIZE: "213 10\r\n", MDTM: "213 20260101000000\r\n", REST: "350 ok\r\n", ...answers },
      data: (peer) => peer.send(count++ === 0 ? "hello" : "WORLD"),
      end: (peer: Peer) => (count === 1 ? peer.reset() : peer.send("226 done\r\n")),
    };
  };
  const resume = { attempts: 1, backoffMs: 1 };

  it("goes on at the octet that was reached", async () => {
    const [server, client] = await start(breaking({}));
    const resource = await client.dereference(at(server), { resume });
    expect(await textOf(resource)).toBe("helloWORLD");
    const [, second] = server.control.connections;
    expect(second?.received.toString("latin1")).toMatch(
      /SIZE a\.bin\r\nMDTM a\.bin\r\nEPSV\r\nREST 5\r\nRETR a\.bin/,
    );
  });

  it.each<[string, FtpScript["answers"], string]>([
    ["has another time now", { MDTM: inTurn("213 20260101000000\r\n", "213 20260101000001\r\n") }, "changed"],
    ["has another size now", { SIZE: inTurn("213 10\r\n", "213 11\r\n") }, "changed"],
    ["has no time", { MDTM: "502 no\r\n" }, "lost"],
    ["has no size", { SIZE: "502 no\r\n" }, "lost"],
  ])("of a file that %s is incomplete", async (_, answers, what) => {
    const [server, client] = await start(breaking(answers));
    const resource = await client.dereference(at(server), { resume });
    await expect(textOf(resource)).rejects.toMatchObject({
      code: "incomplete",
      what: expect.stringContaining(what) as string,
    });
  });

  it("and whose server cannot restart is not begun anew", async () => {
    const [server, client] = await start(breaking({ REST: "502 no\r\n" }));
    const resource = await client.dereference(at(server), { resume });
    await expect(textOf(resource)).rejects.toMatchObject({ code: "unsupported" });
  });
});

describe("NOOP in a long transfer", () => {
  it.each<[string, string]>([
    ["answered at once", "200 here\r\n"],
    ["not known", "500 what?\r\n"],
  ])("%s changes nothing", async (_, answer) => {
    let asked = (): void => undefined;
    const noop = new Promise<void>((resolve) => (asked = resolve));
    const [server, client] = await start(
      {
        async data(peer) {
          peer.send("hel");
          await noop;
          peer.send("lo");
        },
        // The server reads on while it sends.
        answers: {
          RETR: "150 here it comes\r\n",
          NOOP(peer) {
            peer.send(`${answer}226 done\r\n`);
            asked();
          },
        },
      },
      { noopMs: 5 },
    );
    expect(await textOf(await client.dereference(at(server)))).toBe("hello");
  });

  it("that is answered after the transfer, or never", async () => {
    let asked = (): void => undefined;
    const noop = new Promise<void>((resolve) => (asked = resolve));
    const [server, client] = await start(
      {
        async data(peer) {
          await noop;
          peer.send("hello");
        },
        answers: {
          RETR: "150 here it comes\r\n",
          NOOP(peer) {
            peer.send("226 done\r\n");
            asked();
          },
        },
      },
      { noopMs: 5 },
    );
    expect(await textOf(await client.dereference(at(server)))).toBe("hello");
  });
});

describe("TLS that begins in the middle", () => {
  it.each(["explicit", "opportunistic"] as const)(
    "%s: what came before it is not taken for what it protects",
    async (tls) => {
      const [server, client] = await start(
        { answers: { AUTH: "234 go ahead\r\n230 already logged in\r\n" } },
        { tls },
      );
      await expect(client.dereference(at(server))).rejects.toMatchObject({ code: "protocol" });
      await server.control.connections[0]?.closed;
      expect(server.control.connections[0]?.received.toString("latin1")).toBe("AUTH TLS\r\n");
    },
  );

  it("explicit: a refusal ends the access", async () => {
    const [server, client] = await start({ answers: { AUTH: "500 what?\r\n" } }, { tls: "explicit" });
    await expect(client.dereference(at(server))).rejects.toMatchObject({ code: "unsupported" });
    await server.control.connections[0]?.closed;
    expect(server.control.connections[0]?.received.toString("latin1")).toBe("AUTH TLS\r\n");
  });
});

describe("a put", () => {
  it("that the server refuses in the middle ends, and is not done twice", async () => {
    const [server, client] = await start({
      data: gone,
      answers: { STOR: "150 send\r\n552 disk full\r\n" },
    });
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await new Promise(setImmediate);
        yield new Uint8Array(1000);
      }
    }
    await expect(client.put(at(server), endless())).rejects.toMatchObject({ code: "unavailable" });
    expect(server.control.connections.length).toBe(1);
  });
});

/** One answer after the other, the last one again and again. */
function inTurn(...answers: readonly string[]): (peer: Peer) => void {
  let count = 0;
  return (peer) => peer.send(answers[Math.min(count++, answers.length - 1)] ?? "");
}
