import type { Plan } from "@anyscheme/core";
import { type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { startNntpTestServer, type NntpTestServerOptions } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import {
  startScriptedNntpServer,
  dereferenceNntpPath,
  provideTestCredentials,
  CAPABILITIES_REPLY,
  createNntpTestClient,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  getReceivedLines,
  createSentStepListener,
  readArticleResourceText,
  DEFAULT_NNTP_REPLIES,
} from "./scripted-nntp-server.ts";

const createArticleText = (number: number): string => `Subject: number ${number}\n\nbody ${number}\n`;
const newsgroups: NntpTestServerOptions["groups"] = {
  "a.b": {
    description: "A and B",
    articles: Array.from({ length: 700 }, (_, index) => createArticleText(index + 1)),
  },
  empty: { articles: [] },
};

/** Returns the descriptions of the performed steps. */
const getStepDescriptions = (steps: readonly (Plan["steps"][number] | undefined)[]): string[] =>
  steps.map((step) => step?.description ?? "");

describe("the client uses NNTP servers with and without modern commands", () => {
  it.each([
    ["reader", ["CAPABILITIES", "GROUP a.b", "ARTICLE 7"]],
    ["mode-switching", ["CAPABILITIES", "MODE READER", "GROUP a.b", "ARTICLE 7"]],
    ["old", ["CAPABILITIES", "MODE READER", "GROUP a.b", "ARTICLE 7"]],
  ] as const)(
    "the client retrieves an article from an NNTP test server of the dialect %s",
    async (dialect, commands) => {
      await using server = await startNntpTestServer({ groups: newsgroups, dialect });
      await using client = createNntpTestClient();
      const { steps, traceListener } = createSentStepListener();
      const resource = await client.dereference(`nntp://127.0.0.1:${server.port}/a.b/7`, {
        trace: traceListener,
      });
      expect(await readArticleResourceText(resource)).toBe("Subject: number 7\r\n\r\nbody 7\r\n");
      expect(server.receivedLines).toEqual(commands);
      expect(getStepDescriptions(steps)).toEqual(commands);
      expect(resource.plan.steps.filter((step) => steps.includes(step))).toEqual(steps);
    },
  );

  it.each([
    ["reader", "OVER 1-"],
    ["old", "XOVER 1-"],
  ] as const)(
    "the client lists a group from an NNTP test server of the dialect %s with the command %s",
    async (dialect, last) => {
      await using server = await startNntpTestServer({ groups: newsgroups, dialect });
      await using client = createNntpTestClient();
      const { entries, fault } = await readNntpEntriesAndFault(
        await client.dereference(`nntp://127.0.0.1:${server.port}/a.b`),
      );
      expect([fault, entries.length, entries[699]?.name]).toEqual([undefined, 700, "number 700"]);
      expect(server.receivedLines.at(-1)).toBe(last);
    },
  );

  // RFC 3977 §3.2.1 permits 403 in reply to each command.
  it.each(["403 internal fault", "503 no descriptions"])(
    "the client lists groups without descriptions when the server answers LIST NEWSGROUPS with %s",
    async (reply) => {
      await using server = await startScriptedNntpServer({ "LIST NEWSGROUPS": `${reply}\r\n` });
      const { entries, fault } = await readNntpEntriesAndFault(await dereferenceNntpPath(server, ""));
      expect(fault).toBeUndefined();
      expect(entries).toEqual([
        expect.objectContaining({ kind: "group", name: "g", description: undefined }),
      ]);
    },
  );

  it("the client lists the groups of a server that supports LIST only without arguments", async () => {
    await using server = await startScriptedNntpServer({
      "LIST NEWSGROUPS": "500 no\r\n",
      "LIST ACTIVE": "501 no\r\n",
      LIST: "215 l\r\n9fans 3 1 y\r\na/b 3 1 y\r\nbad\r\n.\r\n",
    });
    const { entries } = await readNntpEntriesAndFault(await dereferenceNntpPath(server, ""));
    expect(entries.map(({ name, kind, url }) => [name, kind, url?.href.slice(-1)])).toEqual([
      ["9fans", "group", "s"],
      ["a/b", "group", undefined],
      ["bad", "unknown", undefined],
    ]);
  });
});

it("the client yields the first entry of an overview before the server sends more", async () => {
  let requestNextEntry = (): void => undefined;
  const nextEntryRequested = new Promise<void>((resolve) => (requestNextEntry = resolve));
  await using server = await startScriptedNntpServer({
    async "OVER 1-"(peer) {
      peer.send("224 l\r\n1\tfirst\tf\td\t<1@x>\t\t1\t1\r\n");
      await nextEntryRequested;
      peer.send("2\tsecond\tf\td\t<2@x>\t\t1\t1\r\n.\r\n");
    },
  });
  const names: string[] = [];
  const directory = await dereferenceNntpPath(server, "g");
  if (directory.kind !== "directory") throw new Error("it is no directory");
  for await (const { name } of directory) {
    names.push(name);
    requestNextEntry();
  }
  expect(names).toEqual(["first", "second"]);
});

// RFC 3977 §8.3.2: number, Subject, From, Date, Message-ID, References, bytes, lines.
it.each([
  ["all fields", "<r@x> <s@x>\t1234\t56", { references: ["r@x", "s@x"], size: 1234, lines: 56 }],
  ["blanks around numbers", "\t 1234 \t 56 ", { references: [], size: 1234, lines: 56 }],
  ["no numbers", "\t\t", { references: [], size: undefined, lines: undefined }],
  ["words for numbers", "\t1k\t-1", { references: [], size: undefined, lines: undefined }],
  ["further fields", "\t1\t2\tXref: h g:1", { references: [], size: 1, lines: 2 }],
])("the client parses a line of an overview with %s", async (_, end, expected) => {
  const line = `7\tfirst\tA <a@x>\tFri, 20 Nov 2026 20:01:00 GMT\t<one@x>\t${end}`;
  await using server = await startScriptedNntpServer({ "OVER 1-": `224 l\r\n${line}\r\n.\r\n` });
  const { entries } = await readNntpEntriesAndFault(await dereferenceNntpPath(server, "g"));
  expect(entries).toEqual([expect.objectContaining({ number: 7, name: "first", messageId: "one@x" })]);
  expect(entries[0]).toMatchObject(expected);
});

describe("the option order: newest-first lists new articles first", () => {
  it("the client requests ranges of articles only while the caller reads entries", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using client = createNntpTestClient();
    const url = `nntp://127.0.0.1:${server.port}/a.b` as const;
    const numbers: unknown[] = [];
    const newest = await client.dereference(url, { order: "newest-first" });
    if (newest.kind !== "directory") throw new Error("it is no directory");
    for await (const entry of newest) {
      numbers.push(entry.name);
      if (numbers.length === 130) break;
    }
    expect(numbers.slice(0, 2)).toEqual(["number 700", "number 699"]);
    expect(server.receivedLines.slice(2)).toEqual(["OVER 573-700", "OVER 317-572"]);
    const { entries } = await readNntpEntriesAndFault(
      await client.dereference(url, { order: "newest-first" }),
    );
    expect(entries.map(({ name }) => name)).toEqual(
      Array.from({ length: 700 }, (_, index) => `number ${700 - index}`),
    );
  });

  it("the client finds articles across large gaps between article numbers, with few commands", async () => {
    const commands: string[] = [];
    await using server = await startScriptedServer(async (peer) => {
      peer.send("200 ready\r\n");
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
        commands.push(line);
        const [, low = "", high = ""] = /^OVER (\d+)-(\d+)$/.exec(line) ?? [];
        const found = [5, 1_000_000_000].filter((number) => number >= Number(low) && number <= Number(high));
        const lines = found.map((number) => `${number}\ts${number}\tf\td\t<i@x>\t\t1\t1\r\n`);
        if (low === "") peer.send(line === "GROUP g" ? "211 2 5 1000000000 g\r\n" : CAPABILITIES_REPLY);
        else peer.send(found.length === 0 ? "423 none\r\n" : `224 list\r\n${lines.join("")}.\r\n`);
      }
    });
    const { entries } = await readNntpEntriesAndFault(
      await dereferenceNntpPath(server, "g", { order: "newest-first" }),
    );
    expect(entries.map(({ name }) => name)).toEqual(["s1000000000", "s5"]);
    expect(commands.length).toBeLessThan(30);
  });
});

describe("the client lists articles and groups on old servers and on servers with a login", () => {
  const overview = "224 list\r\n1\tfirst\tf\td\t<one@x>\t\t1\t1\r\n.\r\n";

  it.each([
    ["g", {}, ["OVER 1-", "XOVER 1-"]],
    ["g", { order: "newest-first" }, ["OVER 173-300", "XOVER 173-300", "XOVER 1-172"]],
    ["", {}, ["LIST ACTIVE", "LIST"]],
  ] as const)(
    "the client lists the path /%s with %j on a server of RFC 977 that requires a login",
    async (path, options, commands) => {
      let isLoggedIn = false;
      const afterLogin =
        (reply: string) =>
        (peer: ScriptedPeer): void =>
          peer.send(isLoggedIn ? reply : "480 login\r\n");
      await using server = await startScriptedNntpServer({
        "GROUP g": "211 300 1 300 g\r\n",
        "OVER 1-": "500 what?\r\n",
        "LIST ACTIVE": "500 what?\r\n",
        "XOVER 1-": afterLogin(overview),
        "XOVER 173-300": afterLogin(overview.replace("\n1\t", "\n300\t")),
        "XOVER 1-172": "423 none\r\n",
        LIST: afterLogin("215 list\r\ng 1 1 y\r\n.\r\n"),
        "AUTHINFO USER bob": "381 password\r\n",
        "AUTHINFO PASS secret": (peer) => {
          isLoggedIn = true;
          peer.send("281 welcome\r\n");
        },
      });
      const client = createNntpTestClient({}, provideTestCredentials);
      const { entries, fault } = await readNntpEntriesAndFault(
        await dereferenceNntpPath(server, path, options, client),
      );
      expect(fault).toBeUndefined();
      expect(entries).toHaveLength(1);
      const [lines = []] = getReceivedLines(server);
      const [first, second, ...others] = commands;
      expect(lines.slice(lines.indexOf(first))).toEqual([
        first,
        second,
        "AUTHINFO USER bob",
        "AUTHINFO PASS secret",
        second,
        ...others,
      ]);
    },
  );

  it("the client logs in before it lists new articles first", async () => {
    let isLoggedIn = false;
    await using server = await startScriptedNntpServer({
      "OVER 1-1": (peer) => peer.send(isLoggedIn ? overview : "480 login\r\n"),
      "AUTHINFO USER bob": (peer) => {
        isLoggedIn = true;
        peer.send("281 welcome\r\n");
      },
    });
    const client = createNntpTestClient({}, provideTestCredentials);
    const directory = await dereferenceNntpPath(server, "g", { order: "newest-first" }, client);
    expect((await readNntpEntriesAndFault(directory)).entries).toHaveLength(1);
  });
});

describe("the client reuses NNTP connections", () => {
  it("the client sends the next request without a second greeting, and sends GROUP only for a different group or an overview", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using client = createNntpTestClient();
    for (const path of ["a.b/1", "a.b/2", "empty/1", "a.b/3", "a.b/9999", "a.b"]) {
      await client
        .dereference(`nntp://127.0.0.1:${server.port}/${path}`)
        .then((resource): Promise<unknown> => {
          return resource.kind === "content" ? resource.bytes() : readNntpEntriesAndFault(resource);
        })
        .catch((error: unknown) => expect(error).toEqual(matchErrorWithCode("not-found")));
    }
    const first = ["CAPABILITIES", "GROUP a.b", "ARTICLE 1", "ARTICLE 2", "GROUP empty", "ARTICLE 1"];
    const then = ["GROUP a.b", "ARTICLE 3", "ARTICLE 9999", "GROUP a.b", "OVER 1-"];
    expect(server.receivedLines).toEqual([...first, ...then]);
  });

  it("the client does not share a connection between concurrent requests", async () => {
    await using server = await startScriptedNntpServer();
    await using client = createNntpTestClient();
    const [one, two] = await Promise.all([
      dereferenceNntpPath(server, "g/1", {}, client),
      dereferenceNntpPath(server, "g/1", {}, client),
    ]);
    await Promise.all([readArticleResourceText(one), readArticleResourceText(two)]);
    await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client));
    expect(getReceivedLines(server).map((lines) => lines.length)).toEqual(expect.arrayContaining([3, 4]));
  });

  it("the client opens a new connection if the server has closed the idle connection", async () => {
    let served = 0;
    await using server = await startScriptedNntpServer({
      "ARTICLE 1": (peer) => {
        peer.send(DEFAULT_NNTP_REPLIES["ARTICLE 1"] as string);
        if (served++ === 0) peer.end();
      },
    });
    await using client = createNntpTestClient();
    await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client));
    expect(await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client))).toContain(
      "body",
    );
    expect(server.connections).toHaveLength(2);
  });

  it("the client closes a connection after an unsolicited reply instead of reusing it", async () => {
    let served = 0;
    await using server = await startScriptedNntpServer({
      "ARTICLE 1": (peer) => {
        peer.send(DEFAULT_NNTP_REPLIES["ARTICLE 1"] as string);
        if (served++ === 0) peer.send("220 2 <forged@x> article\r\nSubject: forged\r\n\r\n.\r\n");
      },
    });
    await using client = createNntpTestClient();
    await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client));
    expect(await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client))).not.toContain(
      "forged",
    );
    expect(server.connections).toHaveLength(2);
  });

  it("the client reuses a connection only for requests with the same login", async () => {
    await using server = await startNntpTestServer({
      groups: newsgroups,
      login: { user: "bob", password: "secret" },
    });
    await using client = createNntpTestClient();
    const url = `nntp://127.0.0.1:${server.port}/a.b/1` as const;
    const fetchText = async (credentials?: typeof provideTestCredentials): Promise<unknown> =>
      readArticleResourceText(await client.dereference(url, { credentials }));
    await fetchText(provideTestCredentials);
    await expect(fetchText()).rejects.toThrow(matchErrorWithCode("authentication-required"));
    await expect(fetchText(() => ({ user: "bob", password: "guess" }))).rejects.toThrow(
      matchErrorWithCode("permission-denied"),
    );
    await fetchText(provideTestCredentials);
    expect(server.receivedLines.filter((line) => line === "AUTHINFO PASS secret")).toHaveLength(1);
  });
});

describe("the client logs in to an NNTP server", () => {
  it("the client calls the credentials callback once, and shows the password in no output", async () => {
    await using server = await startNntpTestServer({
      groups: newsgroups,
      login: { user: "bob", password: "secret" },
    });
    const credentialRequests: unknown[] = [];
    await using client = createNntpTestClient({}, (question) => {
      credentialRequests.push(question);
      return { user: "bob", password: "secret" };
    });
    const texts: string[] = [];
    const resource = await client.dereference(`nntp://127.0.0.1:${server.port}/a.b/1`, {
      trace: (event) => texts.push(JSON.stringify(event)),
    });
    await readArticleResourceText(resource);
    expect(credentialRequests).toEqual([
      {
        scheme: "nntp",
        host: "127.0.0.1",
        port: server.port,
        requestedSecret: "password",
        isCrossOrigin: false,
      },
    ]);
    expect(texts.join("\n")).not.toContain("secret");
    expect(server.receivedLines).toContain("AUTHINFO PASS secret");
  });

  it("the client does not send the login of one server to another server", async () => {
    await using server = await startNntpTestServer({
      groups: newsgroups,
      login: { user: "bob", password: "secret" },
    });
    await using open = await startScriptedNntpServer();
    const ports: number[] = [];
    await using client = createNntpTestClient({}, ({ port }) => {
      ports.push(port);
      return { user: "bob", password: "secret" };
    });
    await readArticleResourceText(await client.dereference(`nntp://127.0.0.1:${server.port}/a.b/1`));
    await readArticleResourceText(await dereferenceNntpPath(open, "g/1", {}, client));
    expect(ports).toEqual([server.port]);
    expect(getReceivedLines(open)).toEqual([["CAPABILITIES", "GROUP g", "ARTICLE 1"]]);
  });

  it.each([
    ["the credentials callback returns nothing", undefined, "authentication-required"],
    ["the credentials have no user name", { password: "x" }, "authentication-required"],
    ["the password contains another command", { user: "bob", password: "x\r\nPOST" }, "refused-characters"],
    ["the user name contains another command", { user: "bob\nPOST", password: "x" }, "refused-characters"],
  ])("the client rejects the request when %s", async (_, answer, code) => {
    await using server = await startNntpTestServer({
      groups: newsgroups,
      login: { user: "bob", password: "secret" },
    });
    await using client = createNntpTestClient({}, () => answer);
    await expect(client.dereference(`nntp://127.0.0.1:${server.port}/a.b/1`)).rejects.toThrow(
      matchErrorWithCode(code),
    );
    expect(server.receivedLines.join("\n")).not.toMatch(/POST/);
  });
});
