import { inspect } from "node:util";
import { type Client, createClient, type CoreLimits, type Resource, anyAddress } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FtpSessionPool } from "../../src/session/pool.ts";
import {
  type ScriptedReply,
  type FtpScript,
  type ScriptedFtpServer,
  staySilentUntilClientCloses,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const testResources: AsyncDisposable[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of testResources.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function startServerAndClient(
  script: FtpScript = {},
  options: FtpOptions = {},
  limits: Partial<CoreLimits> = {},
): Promise<[ScriptedFtpServer, Client]> {
  const server = await startScriptedFtpServer(script);
  const client = createClient({ schemes: [ftp(options)], policy: anyAddress(), limits }) as unknown as Client;
  testResources.push(server, client);
  return [server, client];
}

async function readPath(
  client: Client,
  { port }: ScriptedFtpServer,
  path: string,
  login = "",
): Promise<string> {
  return readResourceText(await client.dereference(`ftp://${login}127.0.0.1:${port}${path}`));
}

async function readResourceText(resource: Resource): Promise<string> {
  if (resource.kind === "content") return resource.text();
  return resource.kind;
}

/** Returns the commands that each control connection received after the login. */
function receivedCommands(server: ScriptedFtpServer): string[] {
  return server.controlServer.connections.map(({ received }) =>
    received
      .toString("latin1")
      .replace(/^USER .*\r\nPASS .*\r\n/, "")
      .replaceAll("\r\n", "|"),
  );
}

const FILE_COMMANDS = "SIZE a.gif|EPSV|RETR a.gif|";

describe("the pool reuses an idle session", () => {
  it("an idle session serves another request in its directory without CWD", async () => {
    const [server, client] = await startServerAndClient();
    for (let count = 0; count < 3; count++)
      expect(await readPath(client, server, "/dir/a.gif")).toBe("hello");
    expect(receivedCommands(server)).toEqual([
      `PWD|CWD dir|TYPE I|${FILE_COMMANDS}${FILE_COMMANDS}${FILE_COMMANDS}`,
    ]);
  });

  it("an idle session changes to another directory after PWD has confirmed the login directory", async () => {
    const [server, client] = await startServerAndClient();
    await readPath(client, server, "/dir/a.gif");
    await readPath(client, server, "/other/a.gif");
    await readPath(client, server, "/a.gif");
    expect(receivedCommands(server)).toEqual([
      `PWD|CWD dir|TYPE I|${FILE_COMMANDS}CWD /home|PWD|CWD other|${FILE_COMMANDS}CWD /home|PWD|${FILE_COMMANDS}`,
    ]);
  });

  it("an idle session returns to a login directory with byte 255 on a server that sends Telnet commands", async () => {
    const [server, client] = await startServerAndClient({
      greeting: "220 ready\r\n\xff\xfd\x18",
      replies: { PWD: '257 "/x\xff\xff"\r\n' },
    });
    await readPath(client, server, "/dir/a.gif");
    await readPath(client, server, "/other/a.gif");
    expect(server.controlServer.connections.length).toBe(1);
    expect(receivedCommands(server)[0]).toContain("|CWD /x\xff\xff|PWD|CWD other|");
  });

  it.each<[string, FtpScript["replies"]]>([
    ["PWD is not known", { PWD: "502 no\r\n" }],
    ["PWD is temporarily refused", { PWD: "451 local error\r\n" }],
    ["PWD returns a relative path", { PWD: '257 "dir"\r\n' }],
    ["PWD returns a directory with a line end", { PWD: '257 "/a\r"\r\n' }],
    ["PWD returns a different directory each time", { PWD: createCountingReply('257 "/', '"\r\n') }],
    ["CWD /home is refused", { CWD: createSelectiveRefusal("CWD /home", "550 no\r\n", "250 ok\r\n") }],
  ])("an idle session is not reused for another directory when %s", async (_, answers = {}) => {
    const [server, client] = await startServerAndClient({ replies: answers });
    await readPath(client, server, "/dir/a.gif");
    await readPath(client, server, "/other/a.gif");
    expect(server.controlServer.connections.length).toBe(2);
    expect(receivedCommands(server)[1]).toBe(`PWD|CWD other|TYPE I|${FILE_COMMANDS}`);
  });

  it.each([
    ["a request of another user", "me:pw@", "you:pw@"],
    ["a request with another password", "me:pw@", "me:pw2@"],
    ["a request with a password, after a request with an empty password", "me:@", "me:x@"],
    ['a request of the user "anonymous", after a request without a user name', "", "anonymous:anonymous@"],
  ])("an idle session is not reused for %s", async (_, one, other) => {
    const [server, client] = await startServerAndClient();
    await readPath(client, server, "/a.gif", one);
    await readPath(client, server, "/a.gif", other);
    await readPath(client, server, "/a.gif", one);
    expect(server.controlServer.connections.length).toBe(2);
  });

  it("an idle session ends with QUIT when the client is destroyed", async () => {
    const [server, client] = await startServerAndClient();
    await readPath(client, server, "/a.gif");
    await client.destroy();
    await server.controlServer.connections[0]?.closed;
    expect(receivedCommands(server)).toEqual([`TYPE I|${FILE_COMMANDS}QUIT|`]);
  });

  it("a request prefers the idle session in its directory to a later session in the login directory", async () => {
    const [server, client] = await startServerAndClient();
    const [inDirectory, inLogin] = await Promise.all(
      ["/dir/a.gif", "/a.gif"].map((path) => client.dereference(`ftp://127.0.0.1:${server.port}${path}`)),
    );
    for (const resource of [inDirectory, inLogin]) await readResourceText(resource as Resource);
    await readPath(client, server, "/dir/b.gif");
    expect(receivedCommands(server).toSorted()).toEqual([
      `PWD|CWD dir|TYPE I|${FILE_COMMANDS}SIZE b.gif|EPSV|RETR b.gif|`,
      `TYPE I|${FILE_COMMANDS}`,
    ]);
  });

  it.each([
    ["the default idleTimeoutMs", {}, 15_000],
    ["idleTimeoutMs: 50", { idleTimeoutMs: 50 }, 50],
  ])("an idle session ends with QUIT after %s", async (_, options, idleMs) => {
    // The test replaces only the timers by fake timers. The test uses real sockets.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const [server, client] = await startServerAndClient({}, options);
    await readPath(client, server, "/a.gif");
    vi.advanceTimersByTime(idleMs - 1);
    await readPath(client, server, "/a.gif");
    vi.advanceTimersByTime(idleMs);
    await server.controlServer.connections[0]?.closed;
    expect(receivedCommands(server)).toEqual([`TYPE I|${FILE_COMMANDS}${FILE_COMMANDS}QUIT|`]);
  });

  it("a session ends with QUIT at once if idleTimeoutMs is 0", async () => {
    const [server, client] = await startServerAndClient({}, { idleTimeoutMs: 0 });
    await readPath(client, server, "/dir/a.gif");
    await server.controlServer.connections[0]?.closed;
    expect(receivedCommands(server)).toEqual([`CWD dir|TYPE I|${FILE_COMMANDS}QUIT|`]);
  });

  it.each(["421 idle for too long\r\n", "226 again\r\n", "2"])(
    "an idle session is closed when the server sends %j without a command",
    async (unsolicited) => {
      const { promise: isIdle, resolve: sendUnsolicited } = Promise.withResolvers<void>();
      const [server, client] = await startServerAndClient({
        replies: {
          RETR: (peer) => {
            peer.send("150 here it comes\r\n226 done\r\n");
            void isIdle.then(() => peer.send(unsolicited));
          },
        },
      });
      await readPath(client, server, "/a.gif");
      sendUnsolicited();
      await server.controlServer.connections[0]?.closed;
      await readPath(client, server, "/a.gif");
      expect(server.controlServer.connections.length).toBe(2);
    },
  );

  it("a session is reusable after a request for a missing file", async () => {
    const [server, client] = await startServerAndClient({
      replies: { RETR: createSelectiveRefusal("RETR b", "550 no such file\r\n", undefined) },
    });
    await expect(readPath(client, server, "/dir/b.gif")).rejects.toMatchObject({ code: "not-found" });
    await expect(readPath(client, server, "/dir/b.gif")).rejects.toMatchObject({ code: "not-found" });
    expect(server.controlServer.connections.length).toBe(1);
  });

  it.each<[string, FtpScript, (resource: Resource) => Promise<unknown>]>([
    [
      "a body that the caller closed before its end",
      { serveData: staySilentUntilClientCloses },
      (resource) => resource.close(),
    ],
    [
      "an incomplete body",
      { transferEndReply: "426 broken\r\n" },
      (resource) => readResourceText(resource).catch(() => ""),
    ],
    [
      "an unsolicited reply",
      { transferEndReply: "226 done\r\n200 and more\r\n" },
      (resource) => readResourceText(resource),
    ],
  ])("a session is not reusable after %s", async (_, script, use) => {
    const [server, client] = await startServerAndClient(script);
    const url = `ftp://127.0.0.1:${server.port}/a.gif`;
    await use(await client.dereference(url));
    const resource = await client.dereference(url);
    await resource.close();
    expect(server.controlServer.connections.length).toBe(2);
  });

  it("the client replaces an idle session that the server has closed", async () => {
    const [server, client] = await startServerAndClient({
      transferEndReply(peer) {
        peer.send("226 done\r\n");
        peer.send("421 idle too long\r\n");
        peer.end();
      },
    });
    for (let count = 0; count < 3; count++) expect(await readPath(client, server, "/a.gif")).toBe("hello");
    expect(server.controlServer.connections.length).toBe(3);
  });
});

describe("the pool stores a new session that arrives after its request has acquired an idle session", () => {
  it("a new session that its request no longer needs serves a later request", async () => {
    let loggedIn = 0;
    let asked = (): void => undefined;
    let admit = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (asked = resolve));
    const admitted = new Promise<void>((resolve) => (admit = resolve));
    const PASS: ScriptedReply = async (peer) => {
      if (loggedIn++ === 1) {
        asked();
        await admitted;
      }
      peer.send("230 welcome\r\n");
    };
    const [server, client] = await startServerAndClient(
      { replies: { PASS } },
      {},
      { maxConnectionsPerHost: 2 },
    );
    const open = (): Promise<Resource> => client.dereference(`ftp://127.0.0.1:${server.port}/dir/a.gif`);
    const first = await open();
    const second = open();
    await waiting;
    await readResourceText(first);
    await readResourceText(await second);
    const third = await open();
    const fourth = open();
    admit();
    await readResourceText(await fourth);
    await readResourceText(third);
    expect(receivedCommands(server)).toEqual([
      `PWD|CWD dir|TYPE I|${FILE_COMMANDS.repeat(3)}`,
      `PWD|CWD dir|TYPE I|${FILE_COMMANDS}`,
    ]);
  });
});

describe("the client remembers commands that the server does not support", () => {
  it("EPSV and SIZE are sent only once to a server that does not support these commands", async () => {
    const answers = { EPSV: "500 what?\r\n", SIZE: "500 what?\r\n", PASV: "502 no\r\n" };
    const [server, client] = await startServerAndClient({ replies: answers });
    for (let count = 0; count < 2; count++)
      await expect(readPath(client, server, "/a.gif")).rejects.toMatchObject({ code: "unsupported" });
    expect(receivedCommands(server)).toEqual(["TYPE I|SIZE a.gif|EPSV|PASV|PASV|"]);
  });
});

describe('cwdStrategy "adaptive" tries several strategies', () => {
  const only = (path: string): ScriptedReply =>
    createSelectiveRefusal("CWD", "550 no\r\n", undefined, [path, "CWD /home"]);

  it.each([
    ["multicwd", "CWD dir", "PWD|CWD dir|"],
    ["singlecwd", "CWD dir/sub", "PWD|CWD dir|CWD /home|PWD|CWD dir/sub|"],
    ["absolute", "CWD /dir/sub", "PWD|CWD dir|CWD /home|PWD|CWD dir/sub|CWD /home|PWD|CWD /dir/sub|"],
  ])(
    'cwdStrategy "adaptive" reaches the directory with "%s", and tries this strategy first for the next URL',
    async (strategy, taken, expected) => {
      const multicwd = strategy === "multicwd" ? { CWD: "250 ok\r\n" } : { CWD: only(taken) };
      const [server, client] = await startServerAndClient({ replies: multicwd }, { cwdStrategy: "adaptive" });
      const url = `ftp://127.0.0.1:${server.port}/dir/sub/a.gif`;
      const resource = await client.dereference(url);
      expect(resource).toMatchObject({ cwdStrategy: strategy });
      await readResourceText(resource);
      const last = strategy === "multicwd" ? "CWD sub|" : "";
      expect(receivedCommands(server)).toEqual([`${expected}${last}TYPE I|${FILE_COMMANDS}`]);
      const other = await client.dereference(url.replace("a.gif", "b.gif"));
      expect(other).toMatchObject({ cwdStrategy: strategy });
    },
  );

  it("the client opens a new session for each strategy if PWD is not supported", async () => {
    const answers = { CWD: only("CWD /dir/sub"), PWD: "502 no\r\n" };
    const [server, client] = await startServerAndClient({ replies: answers }, { cwdStrategy: "adaptive" });
    const resource = await client.dereference(`ftp://127.0.0.1:${server.port}/dir/sub/a.gif`);
    expect(resource).toMatchObject({ cwdStrategy: "absolute" });
    expect(receivedCommands(server).map((text) => text.replace(/\|TYPE.*/, "|"))).toEqual([
      "PWD|CWD dir|QUIT|",
      "PWD|CWD dir/sub|QUIT|",
      "PWD|CWD /dir/sub|",
    ]);
  });

  it("the client does not try another strategy after a temporary refusal of CWD", async () => {
    const [server, client] = await startServerAndClient(
      { replies: { CWD: "450 later\r\n" } },
      { cwdStrategy: "adaptive" },
    );
    await expect(readPath(client, server, "/dir/sub/a.gif")).rejects.toMatchObject({ code: "unavailable" });
    expect(receivedCommands(server)[0]).toMatch(/^PWD\|CWD dir\|(?:QUIT\|)?$/);
  });

  it('the client tries only the strategy "multicwd" by default', async () => {
    const [server, client] = await startServerAndClient({ replies: { CWD: "550 no\r\n" } });
    await expect(readPath(client, server, "/dir/a.gif")).rejects.toMatchObject({ code: "not-found" });
    expect(receivedCommands(server)[0]).toMatch(/^PWD\|CWD dir\|(?:QUIT\|)?$/);
  });
});

/**
 * Returns a reply that refuses command lines that begin with `start`, replies 250 to `exceptions`, and sends
 * `otherwise` to all other command lines.
 */
function createSelectiveRefusal(
  start: string,
  refusal: string,
  otherwise: ScriptedReply,
  exceptions: readonly string[] = [],
): ScriptedReply {
  return (peer, line) => {
    if (exceptions.includes(line)) peer.send("250 ok\r\n");
    else if (line.startsWith(start)) peer.send(refusal);
    else if (typeof otherwise === "string") peer.send(otherwise);
  };
}

/** Returns a reply that contains the number of earlier replies. */
function createCountingReply(before: string, after: string): ScriptedReply {
  let count = 0;
  return (peer) => peer.send(`${before}${count++}${after}`);
}

it("the pool stores the code of a refusal without its text, which may contain a password", async () => {
  const server = await startScriptedFtpServer({ replies: { EPSV: "500 Needle\r\n", PASV: "502 no\r\n" } });
  testResources.push(server);
  let pool: FtpSessionPool | undefined;
  const scheme = ftp();
  const watched: typeof scheme = {
    ...scheme,
    access: (plan, context, options) => scheme.access(plan, watchShared(context), options),
  };
  const watchShared = (context: AccessContext): AccessContext =>
    new Proxy(context, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== "function") return value;
        return (...given: unknown[]): unknown => {
          const result: unknown = Reflect.apply(value, target, given);
          if (result instanceof FtpSessionPool) pool = result;
          return result;
        };
      },
    });
  const client = createClient({ schemes: [watched], policy: anyAddress() }) as unknown as Client;
  testResources.push(client);
  for (const login of ["joe:Needle@", ""]) {
    const listing = client.dereference(`ftp://${login}127.0.0.1:${server.port}/a`);
    await expect(listing).rejects.toMatchObject({ code: "unsupported" });
  }
  const record = inspect(pool?.getServerState({ host: "127.0.0.1", port: server.port }), { depth: Infinity });
  expect(record).toContain("EPSV");
  expect(record).not.toContain("Needle");
});

it("the pool stores the state of 1024 servers, and deletes the oldest state to store another", () => {
  const pool = new FtpSessionPool({});
  const stateOf = (port: number): object => pool.getServerState({ host: "ftp.example", port });
  const states = Array.from({ length: 1_024 }, (_, index) => stateOf(index + 1));
  expect(states.map((_, index) => stateOf(index + 1) === states[index])).not.toContain(false);
  stateOf(1_025);
  expect([stateOf(2) === states[1], stateOf(1) === states[0]]).toEqual([true, false]);
});
