import { type Client, createClient, anyAddress } from "@anyscheme/core";
import { type Peer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";
import { type Answer, startFtpServer } from "../ftp-server.ts";

/** What a server does with a control connection that is one too many: for a greeting, or in answer to this command. */
interface Refusal {
  readonly at: "greeting" | "PASS" | "EPSV" | "RETR";
  readonly refuse: (peer: Peer) => void;
}

const say = (at: Refusal["at"], reply: string): Refusal => ({
  at,
  refuse: (peer) => peer.send(`${reply}\r\n`),
});

const ROWS: [string, Refusal][] = [
  ["greets with 421", say("greeting", "421 There are too many connected users, please try later.")],
  ["greets with 421 in other words", say("greeting", "421 Service not available.")],
  [
    "answers PASS with 530",
    say("PASS", "530 Sorry, the maximum number of clients (2) are already connected"),
  ],
  ["closes before its greeting", { at: "greeting", refuse: () => undefined }],
  ["resets before its greeting", { at: "greeting", refuse: (peer) => peer.reset() }],
  ["answers EPSV with 425", say("EPSV", "425 Too many connections. Can't open data channel.")],
  ["answers RETR with 425", say("RETR", "425 Too many connections.")],
  ["answers RETR with 426", say("RETR", "426 Too many connections; transfer aborted.")],
];

/** A server that serves `most` control connections at a time, and refuses one more. */
async function serving(most: number, { at, refuse }: Refusal) {
  const data = await startScriptedServer((peer) => peer.send("hello"));
  const answers: Record<string, string> = {
    USER: "331 password, please\r\n",
    PASS: "230 welcome\r\n",
    TYPE: "200 type set\r\n",
    SIZE: "550 not told\r\n",
    PWD: '257 "/" is current\r\n',
    CWD: "250 changed\r\n",
    EPSV: `229 extended passive (|||${data.port}|)\r\n`,
    RETR: "150 here it comes\r\n226 done\r\n",
    QUIT: "221 bye\r\n",
  };
  let open = 0;
  const control = await startScriptedServer(async (peer) => {
    const isOneTooMany = ++open > most;
    try {
      if (isOneTooMany && at === "greeting") return refuse(peer);
      peer.send("220 ready\r\n");
      for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
        const verb = line.split(" ")[0] ?? "";
        if (isOneTooMany && at === verb) refuse(peer);
        else peer.send(answers[verb] ?? "502 what?\r\n");
      }
    } finally {
      open--;
    }
  });
  return {
    port: control.port,
    control,
    async [Symbol.asyncDispose]() {
      await control.stop();
      await data.stop();
    },
  };
}

async function read(client: Client, port: number): Promise<string> {
  const resource = await client.dereference(`ftp://127.0.0.1:${port}/a.bin`);
  return resource.kind === "content" ? resource.text() : resource.kind;
}

const clientOf = (): Client => createClient({ schemes: [ftp()], policy: anyAddress() });

describe("a server that accepts two control connections", () => {
  it.each(ROWS)("and %s, serves 30 simultaneous requests", async (_, refusal) => {
    await using server = await serving(2, refusal);
    await using client = clientOf();
    const results = await Promise.all(Array.from({ length: 30 }, () => read(client, server.port)));
    expect(results).toEqual(Array.from({ length: 30 }, () => "hello"));
    // Eight were tried at once, and few after that.
    expect(server.control.connections.length).toBeLessThan(20);
  });
});

describe("a refusal", () => {
  it.each<[string, Refusal, string]>([
    ["of the only connection", say("greeting", "421 too many users"), "unavailable"],
    ["of the only data connection", say("EPSV", "425 Too many connections."), "unavailable"],
    ["because of a wrong password", say("PASS", "530 Login incorrect, try again"), "authentication-required"],
    [
      "because of too many wrong passwords",
      say("PASS", "530 Too many failed attempts"),
      "authentication-required",
    ],
  ])("%s is reported at once", async (_, refusal, code) => {
    await using server = await serving(0, refusal);
    await using client = clientOf();
    await expect(read(client, server.port)).rejects.toMatchObject({ code });
    expect(server.control.connections.length).toBe(1);
  });

  it("of a started upload is reported, because its body cannot be read again", async () => {
    let uploads = 0;
    const STOR: Answer = (peer) => {
      uploads++;
      peer.send("150 go on\r\n426 Too many connections; transfer aborted.\r\n");
    };
    await using server = await startFtpServer({ answers: { STOR }, data: (peer) => peer.closed });
    await using client = clientOf();
    const [first, second] = await Promise.allSettled(
      ["a", "b"].map((name) => client.put(`ftp://me:pw@127.0.0.1:${server.port}/${name}`, "content")),
    );
    expect([first, second]).toMatchObject([
      { reason: { code: "unavailable" } },
      { reason: { code: "unavailable" } },
    ]);
    expect(uploads).toBe(2);
  });
});
