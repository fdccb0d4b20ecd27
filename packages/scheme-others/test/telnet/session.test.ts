import { createClient, publicInternet, anyAddress } from "@anyscheme/core";
import { startForbiddenServer } from "@anyscheme/core/testing";
import { telnet } from "@anyscheme/scheme-others/telnet";
import * as fc from "fast-check";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { CAPTURED_TELNET_SESSIONS } from "./captured-sessions.ts";
import {
  startTelnetTestSession,
  type TelnetTestSessionOptions,
  readStreamText,
} from "./telnet-test-session.ts";

const decodeHex = (text: string): Buffer => Buffer.from(text, "hex");

describe("the client answers a server that replays recorded sessions of telnetd", () => {
  const rows: [name: string, options: TelnetTestSessionOptions][] = [
    ["01-refuse-everything", { acceptTelnetOptions: [] }],
    ["02-accept-echo-sga-ttype-naws", { terminalType: "DUMB", terminalSize: { columns: 80, rows: 24 } }],
  ];
  it.each(rows)("the client sends the same negotiations as in the capture %s", async (name, options) => {
    const messages = CAPTURED_TELNET_SESSIONS[name] ?? [];
    const wrong: string[] = [];
    await using session = await startTelnetTestSession(async (peer) => {
      for (const [from, bytes] of messages) {
        if (from === "server") peer.send(decodeHex(bytes));
        else {
          const came = (await peer.readBytes(bytes.length / 2)).toString("hex");
          if (came !== bytes) wrong.push(`${came} instead of ${bytes}`);
        }
      }
    }, options);
    let shown = "";
    for await (const piece of session.session.readable) {
      shown += Buffer.from(piece).toString("latin1");
      if (shown.endsWith("name: ")) await session.sendText("alice\r\n");
    }
    expect(wrong).toEqual([]);
    expect(shown).toMatch(
      /^hello from a telnet login program\r\nname: (?:alice\r\n)?you said \[alice\] TERM=/,
    );
    expect(shown).not.toContain("\xff");
  });
});

describe("a Telnet session", () => {
  it("a session transmits the data of both sides without Telnet commands", async () => {
    await using session = await startTelnetTestSession(async (peer) => {
      peer.send("hello\r\n\xff\xf9caf\xe9 \xff\xff \r\0.");
      await peer.readBytes(9);
    });
    await session.sendText("a\xffb\rc\r\n");
    expect(await session.readAll()).toBe("hello\r\ncaf\xe9 \xff \r.");
    expect(session.server.connections[0]?.received.toString("latin1")).toBe("a\xff\xffb\r\0c\r\n");
  });

  it("the client keeps each CR unchanged in a direction with the option BINARY", async () => {
    await using session = await startTelnetTestSession(
      async (peer) => {
        peer.send("\r\0\xff\xfb\0\r\0");
        await peer.readBytes(3);
        peer.send("\xff\xfd\0.");
        await peer.readBytes(4);
      },
      { acceptTelnetOptions: ["binary"] },
    );
    const reader = session.session.readable.getReader();
    let shown = "";
    while (!shown.includes(".")) shown += Buffer.from((await reader.read()).value ?? []).toString("latin1");
    await session.sendText("\r");
    while (!(await reader.read()).done);
    expect(shown).toBe("\r\r\0.");
    expect(session.server.connections[0]?.received.toString("latin1")).toBe("\xff\xfd\0\xff\xfb\0\r");
  });

  it("a session yields the same data for any split of the stream into chunks", async () => {
    const stream = "a\xff\xfb\x01b\r\0c\xff\xff\xff\xfa\x18\x01\xff\xf0d\r\n\xff\xf1e";
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: stream.length - 1 }), { maxLength: 5 }),
        async (cuts) => {
          const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
          await using session = await startTelnetTestSession(async (peer) => {
            for (const [index, place] of places.slice(1).entries())
              peer.send(stream.slice(places[index], place));
            await peer.readBytes(3);
          });
          expect(await session.readAll()).toBe("ab\rc\xffd\r\ne");
          expect(session.server.connections[0]?.received.toString("latin1")).toBe("\xff\xfd\x01");
        },
      ),
      { numRuns: 30 },
    );
  });

  it("a session calls onEcho when the server enables and disables echo", async () => {
    const echoes: boolean[] = [];
    await using session = await startTelnetTestSession(
      async (peer) => {
        peer.send("\xff\xfb\x01Password: ");
        await peer.readBytes(3);
        peer.send("\xff\xfc\x01\xff\xfc\x01.");
        await peer.readBytes(3);
      },
      { onEcho: (echo) => void echoes.push(echo) },
    );
    await session.readAll();
    expect(echoes).toEqual([true, false]);
  });

  it("the client sends the terminal type when the server requests it, and each new window size", async () => {
    await using session = await startTelnetTestSession(
      async (peer) => {
        peer.send("\xff\xfd\x1f\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0.");
        await peer.readBytes(32);
        peer.send("!");
        await peer.readBytes(9);
      },
      { terminalType: "xterm", terminalSize: { columns: 255, rows: 24 } },
    );
    session.session.resize(80, 25);
    const reader = session.session.readable.getReader();
    for (let shown = ""; !shown.endsWith("!");) {
      shown += Buffer.from((await reader.read()).value ?? []).toString();
      if (shown === ".") session.session.resize(511, 50);
    }
    session.session.resize(100, 30);
    while (!(await reader.read()).done);
    const sent = session.server.connections[0]?.received.toString("latin1");
    // The client sends the last window size that was set before the request. The client doubles an IAC byte within a
    // window size.
    expect(sent).toBe(
      "\xff\xfb\x1f\xff\xfa\x1f\0\x50\0\x19\xff\xf0\xff\xfb\x18\xff\xfa\x18\0xterm\xff\xf0" +
        "\xff\xfa\x1f\x01\xff\xff\0\x32\xff\xf0\xff\xfa\x1f\0\x64\0\x1e\xff\xf0",
    );
  });

  it("the client refuses TERMINAL-TYPE and NAWS if the caller passes no terminal type and no window size", async () => {
    await using session = await startTelnetTestSession(async (peer) => {
      peer.send("\xff\xfd\x1f\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0.");
      await peer.readBytes(6);
    });
    session.session.resize(80, 25);
    await session.readAll();
    expect(session.server.connections[0]?.received.toString("latin1")).toBe("\xff\xfc\x1f\xff\xfc\x18");
  });

  it("the client throws TypeError for an invalid terminal type or window size", async () => {
    await using session = await startTelnetTestSession((peer) => peer.closed);
    await using service = await session.client.dereference(`telnet://127.0.0.1:${session.server.port}`);
    if (service.kind !== "service") throw new Error(service.kind);
    for (const options of [
      { terminalType: "" },
      { terminalType: "a b" },
      { terminalType: "x\xff" },
      { terminalType: "x".repeat(41) },
      { terminalSize: { columns: -1, rows: 1 } },
      { terminalSize: { columns: 1, rows: 65_536 } },
    ])
      await expect(service.connect(options)).rejects.toThrow(TypeError);
    expect(() => session.session.resize(1.5, 1)).toThrow(TypeError);
    expect(session.server.connections).toHaveLength(1);
  });

  it("the client opens several sessions from one resource, and ends them with the resource", async () => {
    await using session = await startTelnetTestSession((peer) => peer.closed);
    const service = await session.client.dereference(`telnet://127.0.0.1:${session.server.port}`);
    if (service.kind !== "service") throw new Error(service.kind);
    const sessions = [await service.connect(), await service.connect()];
    const reading = sessions.map(({ readable }) => readStreamText(readable));
    await service.close();
    for (const read of reading) await expect(read).rejects.toMatchObject({ code: "aborted" });
    await session.session.close();
    await Promise.all(session.server.connections.map(({ closed }) => closed));
    expect(session.server.connections).toHaveLength(3);
  });
});

describe("a telnet URL has a resource that connects on request", () => {
  const client = createClient({ schemes: [telnet()], policy: publicInternet() });

  it.each<[url: string, user: string | undefined, password: string | undefined, port: number]>([
    ["telnet://user:pass%3Aword@host.dom:2323/", "user", "pass:word", 2323],
    ["telnet://u%40x@host.dom", "u@x", undefined, 23],
    ["telnet://@host.dom/", "", undefined, 23],
    ["telnet://u:@host.dom/", "u", "", 23],
    ["telnet://host.dom", undefined, undefined, 23],
  ])("the service resource contains host, port and login of %s", async (url, user, password, port) => {
    await using service = await client.dereference(url);
    if (service.kind !== "service") throw new Error(service.kind);
    expect([service.host, service.port, service.user, service.password]).toEqual([
      "host.dom",
      port,
      user,
      password,
    ]);
  });

  it("the client omits the password from JSON and from util.inspect", async () => {
    await using service = await client.dereference("telnet://bob:n33dle@host.dom/");
    const shown = [JSON.stringify(service), inspect(service, { depth: 9 }), JSON.stringify({ ...service })];
    expect(shown.join("")).not.toContain("n33dle");
    expect(Object.keys(service)).not.toContain("password");
    expect(service.password).toBe("n33dle");
  });

  it("the client opens no connection before connect(), and plans no step with the login", async () => {
    await using asking = createClient({
      schemes: [telnet()],
      resolver: () => expect.unreachable("a name is looked up"),
    });
    await using service = await asking.dereference("telnet://bob:n33dle@host.dom/");
    expect(service.plan.steps.map(({ action, description: text }) => `${action} ${text}`)).toEqual([
      "resolve host.dom",
      "connect host.dom port 23",
      "open an interactive session",
    ]);
    expect(service.plan.steps.every(({ bytes }) => bytes === undefined)).toBe(true);
  });

  it("the client refuses to connect to a server that the policy forbids", async () => {
    await using tripwire = await startForbiddenServer();
    const { port } = tripwire;
    const rows = [
      [publicInternet({ allowPorts: { telnet: [port] } }), `127.0.0.1:${port}`, "refused-address"],
      [publicInternet(), "localhost", "refused-name"],
      [anyAddress(), `127.0.0.1:${port}`, "refused-port"],
      [anyAddress(), "127.0.0.1:25", "refused-port"],
      [anyAddress(), "127.0.0.1:0", "refused-port"],
    ] as const;
    for (const [policy, place, code] of rows) {
      await using guarded = createClient({ schemes: [telnet()], policy });
      await using service = await guarded.dereference(`telnet://bob:n33dle@${place}/`);
      const error: unknown = await service.connect().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code, url: `telnet://bob:****@${place}/`, step: { action: "connect" } });
      expect(inspect(error)).not.toContain("n33dle");
    }
    expect(tripwire.connections).toHaveLength(0);
  });

  it("the client refuses a login with a '?' because other URL parsers find another host", async () => {
    const text = "telnet://good.dom?@evil.dom/";
    await expect(client.dereference(text)).rejects.toMatchObject({ code: "login-question-mark" });
    const url = client.parse(text, { mode: "rfc1738" });
    await expect(client.dereference(url)).rejects.toMatchObject({ code: "refused-name" });
  });
});
