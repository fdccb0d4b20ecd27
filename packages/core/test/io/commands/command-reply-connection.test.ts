import { afterEach, describe, expect, it } from "vitest";
import { AccessError } from "../../../src/errors/access-error.ts";
import { CommandReplyConnection } from "../../../src/io/commands/command-reply-connection.ts";
import type {
  CommandReplyConnectionDependencies,
  CommandReplyProtocolDefinition,
  Reply,
} from "../../../src/io/commands/command-reply-connection-types.ts";
import { LineScanner } from "../../../src/io/lines.ts";
import { connectTo } from "../../../src/network/connect.ts";
import type { CoreLimits } from "../../../src/policy/limits.ts";
import { createExpectReplyStep, createSendStep, type Step } from "../../../src/scheme/plan.ts";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import {
  createRecordingConnectionContext,
  type RecordingConnectionContext,
} from "../../network/recording-connection-context.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A protocol whose replies have one line, or many lines as in RFC 959 §4.2. */
const PROTOCOL: CommandReplyProtocolDefinition<Reply> = {
  createParser(limits) {
    const scanner = new LineScanner(limits, "maxReplyLineBytes");
    let lines: string[] = [];
    return {
      push(bytes) {
        let used = 0;
        while (used < bytes.length) {
          const scanned = scanner.push(bytes.subarray(used));
          used += scanned.usedBytes;
          if (scanned.line === undefined) break;
          if (!/^\d{3}/.test(scanned.line) && lines.length === 0)
            throw new AccessError("protocol", "no reply");
          lines.push(scanned.line);
          if (scanned.line[3] === "-") continue;
          const reply = { code: scanned.line.slice(0, 3), text: lines.join("\n") };
          lines = [];
          return { reply, usedBytes: used };
        }
        return { reply: undefined, usedBytes: used };
      },
      get partialReply() {
        return [...lines, scanner.partialLine].join("\n");
      },
    };
  },
  formatReply: ({ text }) => text,
  createReplyError: ({ text }, command) =>
    new AccessError("unavailable", `${command?.description ?? "connection"}: ${text}`),
  isPreliminaryReply: ({ code }) => code.startsWith("1"),
  isClosingReply: ({ code }) => code === "421",
};

const latin1Bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const send = (text: string, onReply?: string): Step =>
  createSendStep(latin1Bytes(`${text}\r\n`), "x", text, { onReply });
const expectCodes = (codes: string[], onReply?: string): Step =>
  createExpectReplyStep(codes, "x", codes.join(" or "), onReply);
const GREETING = expectCodes(["220"]);

interface Fixture {
  readonly server: LoopbackServer;
  readonly connectionContext: RecordingConnectionContext;
  readonly context: CommandReplyConnectionDependencies;
  readonly connection: CommandReplyConnection<Reply>;
  readonly begun: string[];
}

/** Connects to a server that follows a script. */
async function start(
  script: (peer: ScriptedPeer) => Promise<void> | void,
  limits: Partial<CoreLimits> = {},
): Promise<Fixture> {
  const server = await startScriptedServer(script);
  stops.push(() => server.stop());
  const connectionContext = createRecordingConnectionContext({ limits });
  const begun: string[] = [];
  const context: CommandReplyConnectionDependencies = {
    limits: connectionContext.limits,
    connect: (target) => connectTo(connectionContext, target),
    startTls: () => Promise.reject(new Error("no TLS here")),
    trace: (event) => connectionContext.trace(event),
    isTraced: true,
    beginStep: (step) => begun.push(step.description),
  };
  const target = { host: "127.0.0.1", port: server.port };
  const connect: Step = { action: "connect", spec: "x", description: "connect", target };
  const connection = await CommandReplyConnection.connect([connect, GREETING], context, PROTOCOL);
  stops.push(() => Promise.resolve(connection.close()));
  return { server, connectionContext, context, connection, begun };
}

/** Returns a script that sends a greeting and a fixed reply for each command line. */
function createReplyScript(answers: Readonly<Record<string, string>>, greeting = "220 ready\r\n") {
  return async (peer: ScriptedPeer): Promise<void> => {
    peer.send(greeting);
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
      peer.send(answers[line] ?? "");
  };
}

const receivedText = ({ server }: Fixture): string =>
  server.connections[0]?.received.toString("latin1") ?? "";

/** Waits until bytes after the last reply have arrived. */
const bytesArrive = ({ connection }: Fixture): Promise<void> => connection.reader.waitReadable(Infinity);

describe("CommandReplyConnection.run executes the steps of a plan", () => {
  it("run sends commands and expects replies in the order of the steps, and traces both", async () => {
    const all = await start(createReplyScript({ USER: "331 password\r\n", PASS: "230 in\r\n" }));
    const steps = [
      GREETING,
      send("USER"),
      expectCodes(["331", "230"]),
      send("PASS", "331"),
      expectCodes(["230"]),
    ];
    expect(await all.connection.run(steps)).toEqual({ code: "230", text: "230 in" });
    expect(all.begun).toEqual(["connect", "220", "USER", "331 or 230", "PASS", "230"]);
    expect(all.connectionContext.events.slice(1).map(({ action, text }) => `${action} ${text}`)).toEqual([
      "receive 220 ready",
      "send USER",
      "receive 331 password",
      "send PASS",
      "receive 230 in",
    ]);
    expect(all.connection.isReusable).toBe(true);
  });

  it("run skips a step whose onReply differs from the code of the last reply", async () => {
    const all = await start(createReplyScript({ USER: "230 in\r\n" }));
    const login = [send("USER"), expectCodes(["331", "230"]), send("PASS", "331"), expectCodes(["2"], "331")];
    await all.connection.run([GREETING, ...login]);
    expect(receivedText(all)).toBe("USER\r\n");
    expect(all.connection.lastReply?.code).toBe("230");
  });

  it("run throws the error of the protocol for a reply that no step expects", async () => {
    const { connection } = await start(createReplyScript({ SIZE: "550 none\r\n" }));
    const error = await catchAccessError(connection.run([GREETING, send("SIZE"), expectCodes(["213"])]));
    expect(error.message).toContain("SIZE: 550 none");
  });

  it("run sends pipelined commands in one write, and reads their replies one by one", async () => {
    const all = await start(async (peer) => {
      peer.send("220 ready\r\n");
      expect((await peer.readBytes(12)).toString()).toBe("SIZE\r\nMDTM\r\n");
      peer.send("213 1\r\n213 2\r\n");
      await peer.closed;
    });
    await all.connection.run([GREETING]);
    const writes: number[] = [];
    const write = all.connection.socket.write.bind(all.connection.socket);
    all.connection.socket.write = (bytes: Uint8Array) => writes.push(bytes.length) > 0 && write(bytes);
    const replies: string[] = [];
    await all.connection.run([send("SIZE"), send("MDTM"), expectCodes(["213"]), expectCodes(["213"])], {
      onReply: (reply, command) => void replies.push(`${command?.description}: ${reply.text}`),
    });
    expect(replies).toEqual(["SIZE: 213 1", "MDTM: 213 2"]);
    expect(writes).toEqual([12]);
  });

  it("run uses a known reply without sending the command", async () => {
    const all = await start(createReplyScript({ NOOP: "200 ok\r\n" }));
    const steps = [GREETING, send("SIZE"), send("NOOP"), expectCodes(["213", "5"]), expectCodes(["200"])];
    await all.connection.run(steps, {
      getKnownReply: (step) => (step.description === "SIZE" ? { code: "500", text: "500 no" } : undefined),
    });
    expect(receivedText(all)).toBe("NOOP\r\n");
    expect(all.connection.isReusable).toBe(true);
  });

  it("run requests the bytes of a secret command from a callback, and never traces them", async () => {
    const all = await start(createReplyScript({ "PASS secret": "230 in\r\n" }));
    const secret = createSendStep(undefined, "x", "PASS ***", { secret: true });
    const getCommand = (): Promise<Uint8Array> => Promise.resolve(latin1Bytes("PASS secret\r\n"));
    await all.connection.run([GREETING, secret, expectCodes(["230"])], {
      getCommandWithSecret: getCommand,
    });
    expect(receivedText(all)).toBe("PASS secret\r\n");
    expect(JSON.stringify(all.connectionContext.events)).not.toContain("secret");
  });

  it("the reply that onReply returns replaces the received reply", async () => {
    const { connection } = await start(
      createReplyScript({ CAPABILITIES: "101 list\r\n", MODE: "200 reader\r\n" }),
    );
    const steps = [
      GREETING,
      send("CAPABILITIES"),
      expectCodes(["101"]),
      send("MODE", "101 MODE"),
      expectCodes(["200"]),
    ];
    await connection.run(steps, {
      onReply: (reply) => (reply.code === "101" ? { ...reply, code: "101 MODE" } : undefined),
    });
    expect(connection.lastReply?.code).toBe("200");
  });

  it("run calls beginStep for the connect step of a data connection, and does not execute the step", async () => {
    const { connection, begun } = await start(createReplyScript({}));
    const data: Step = { action: "connect", spec: "x", description: "data" };
    await connection.run([GREETING, data]);
    expect(begun.at(-1)).toBe("data");
  });
});

describe("the replies to commands", () => {
  it("a command connection parses a reply of many lines from chunks of any size", async () => {
    const all = await start(async (peer) => {
      for (const byte of "220-first\r\n220-second\r\n220 last\r\n") peer.send(byte);
      await peer.closed;
    });
    const reply = await all.connection.run([GREETING]);
    expect(reply?.text).toBe("220-first\n220-second\n220 last");
  });

  it("a command connection skips preliminary replies unless a step expects them", async () => {
    const { connection } = await start(createReplyScript({}, "120 wait\r\n120 wait\r\n220 ready\r\n"));
    expect((await connection.expect(["220"])).code).toBe("220");
    expect(connection.replyCount).toBe(3);
  });

  it("a command connection fails after too many preliminary replies", async () => {
    const { connection } = await start(createReplyScript({}, "120 wait\r\n".repeat(20)));
    expect(await catchAccessError(connection.expect(["220"]))).toMatchObject({ code: "protocol" });
  });

  it.each([
    ["a complete reply", "220 ready\r\n230 in\r\n", "protocol", "before any command: 230 in"],
    ["a part of a reply", "220 ready\r\n23", "protocol", "before any command: 23"],
    ["text that is no reply", "220 ready\r\nhello\r\n", "protocol", "no reply"],
    ["a reply that ends the session", "220 ready\r\n421 bye\r\n", "unavailable", "421 bye"],
  ])("the connection rejects a reply before its command: %s", async (_, greeting, code, message) => {
    const all = await start(createReplyScript({}, greeting));
    await all.connection.run([GREETING]);
    await bytesArrive(all);
    const error = await catchAccessError(all.connection.run([send("USER"), expectCodes(["2"])]));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(receivedText(all)).toBe("");
    expect(all.connection.isReusable).toBe(false);
  });

  it("a command connection rejects a reply that arrives before TLS starts", async () => {
    const all = await start(createReplyScript({}, "220 ready\r\n234 injected\r\n"));
    await all.connection.run([GREETING]);
    await bytesArrive(all);
    const target = { host: "x.test", port: 21 };
    const tls: Step = { action: "tls", spec: "x", description: "TLS", target };
    expect((await catchAccessError(all.connection.run([tls]))).code).toBe("protocol");
  });

  it("waitUntilReplyArrives resolves when a reply arrives that no step expects yet", async () => {
    const { connection } = await start(createReplyScript({ RETR: "150 begins\r\n226 done\r\n" }));
    await connection.run([GREETING, send("RETR"), expectCodes(["150"])]);
    while (connection.unreadReplies.length === 0) await connection.waitUntilReplyArrives();
    expect(connection.unreadReplies).toEqual([{ code: "226", text: "226 done" }]);
    expect(connection.isReusable).toBe(false);
    expect((await connection.expect(["226"])).code).toBe("226");
    expect(connection.isReusable).toBe(true);
  });

  it("waitUntilReplyArrives ends when the next reply is expected, or the connection is lost", async () => {
    const { connection } = await start(async (peer) => {
      peer.send("220 ready\r\n");
      await peer.readLine();
      peer.send("200 ok\r\n");
    });
    await connection.run([GREETING, send("NOOP")]);
    const wait = connection.waitUntilReplyArrives();
    await connection.expect(["200"]);
    await wait;
    await connection.waitUntilReplyArrives();
    expect(connection.isOpen).toBe(false);
  });

  it("a command connection drops the reply to a keep-alive command that arrives before the expected reply", async () => {
    const { connection } = await start(
      createReplyScript({ RETR: "150 begins\r\n", NOOP: "200 ok\r\n226 done\r\n" }),
    );
    await connection.run([GREETING, send("RETR"), expectCodes(["150"])]);
    connection.sendKeepAlive(send("NOOP"), new Set(["200", "500"]));
    expect(connection.isReusable).toBe(false);
    expect((await connection.expect(["226"])).code).toBe("226");
    expect(connection.isReusable).toBe(true);
  });
});

describe("a lost command connection", () => {
  it("a command connection fails with unavailable when the connection is lost before the greeting", async () => {
    const { connection } = await start((peer) => peer.end());
    const failure = { code: "unavailable", reason: "the connection was lost: the server closed it" };
    expect(await catchAccessError(connection.run([GREETING]))).toMatchObject(failure);
  });

  it("a command connection fails with the code incomplete when the connection is lost after the greeting", async () => {
    const { connection } = await start(async (peer) => {
      peer.send("220 ready\r\n");
      await peer.readLine();
      peer.reset();
    });
    const error = await catchAccessError(connection.run([GREETING, send("USER"), expectCodes(["2"])]));
    expect(error).toMatchObject({ code: "incomplete", reason: "the connection was lost: ECONNRESET" });
  });
});

describe("the limits of a command connection", () => {
  const silent = async (peer: ScriptedPeer): Promise<void> => {
    peer.send("220 ready\r\n");
    await peer.closed;
  };

  it("firstByteTimeoutMs limits the wait for each reply", async () => {
    const { connection } = await start(silent, { firstByteTimeoutMs: 40 });
    const error = await catchAccessError(connection.run([GREETING, send("USER"), expectCodes(["2"])]));
    expect(error).toMatchObject({ code: "timeout", limit: "firstByteTimeoutMs" });
    expect(connection.isOpen).toBe(false);
  });

  it("idleTimeoutMs limits the wait for a reply when the caller selects this limit", async () => {
    const { connection } = await start(silent, { idleTimeoutMs: 40 });
    await connection.run([GREETING, send("RETR")]);
    const error = await catchAccessError(connection.expect(["226"], { timeoutLimit: "idleTimeoutMs" }));
    expect(error).toMatchObject({ code: "timeout", limit: "idleTimeoutMs" });
  });

  it("maxReplyLineBytes limits the length of a line of a reply", async () => {
    const { connection } = await start(createReplyScript({}, "220 ".padEnd(300, "x")), {
      maxReplyLineBytes: 200,
    });
    expect(await catchAccessError(connection.run([GREETING]))).toMatchObject({
      limit: "maxReplyLineBytes",
    });
  });

  it("maxReplyBytes limits the size of the replies that no step has read yet", async () => {
    const { connection } = await start(createReplyScript({}, "220 ready\r\n".repeat(1000)), {
      maxReplyBytes: 2000,
    });
    await connection.run([GREETING]);
    while (connection.isOpen) await connection.waitUntilReplyArrives();
    for (;;) {
      const reply = await connection.expect(["220"]).catch((error: unknown) => error);
      if (!(reply instanceof AccessError)) continue;
      expect(reply).toMatchObject({ limit: "maxReplyBytes" });
      break;
    }
  });

  it("an abort signal ends the wait for a reply, and the reply still arrives", async () => {
    const { connection } = await start(createReplyScript({ RETR: "226 done\r\n" }));
    await connection.run([GREETING, send("RETR")]);
    const reason = new AccessError("unavailable", "the data connection failed");
    await expect(connection.expect(["226"], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const wait = connection.expect(["226"], { signal: abort.signal });
    abort.abort(reason);
    await expect(wait).rejects.toBe(reason);
    expect(connection.pendingCommand?.description).toBe("RETR");
    expect((await connection.expect(["226"])).code).toBe("226");
  });
});

describe("a command connection in a pool", () => {
  it("a detached command connection closes when bytes arrive", async () => {
    const all = await start(async (peer) => {
      peer.send("220 ready\r\n");
      await peer.readLine();
      peer.send("200 ok\r\n");
      await peer.readLine();
      peer.send("421 idle for too long\r\n");
      await peer.closed;
    });
    const { connection } = all;
    await connection.run([GREETING, send("NOOP"), expectCodes(["200"])]);
    expect(connection.isReusable).toBe(true);
    connection.detachFromRequest();
    connection.socket.write("go on\r\n");
    await all.server.connections[0]?.closed;
    expect(connection.isReusable).toBe(false);
  });

  it("replyCount starts at 0 for each request on the connection", async () => {
    const { connection, context } = await start(createReplyScript({ NOOP: "200 ok\r\n" }));
    await connection.run([GREETING]);
    connection.detachFromRequest();
    connection.attachToRequest(context);
    expect(connection.replyCount).toBe(0);
    await connection.run([send("NOOP"), expectCodes(["200"])]);
    expect(connection.replyCount).toBe(1);
  });
});
