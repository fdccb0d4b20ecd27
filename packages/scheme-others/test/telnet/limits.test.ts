import { describe, expect, it } from "vitest";
import type { TraceEvent } from "@anyscheme/core";
import type { ScriptedPeer } from "@anyscheme/core/testing";
import { startTelnetTestSession } from "./telnet-test-session.ts";

describe("the client limits Telnet servers that send without end", () => {
  it.each([
    ["DO ECHO", "\xff\xfd\x01", "\xff\xfc\x01"],
    ["WILL AUTHENTICATION", "\xff\xfb\x25", "\xff\xfe\x25"],
    ["SEND TERMINAL-TYPE", "\xff\xfa\x18\x01\xff\xf0", "\xff\xfa\x18\0dumb\xff\xf0"],
  ])(
    "the client sends at most 64 answers to a server that repeats %s, and then ends the session",
    async (_, said, answer) => {
      await using session = await startTelnetTestSession(
        async (peer) => {
          peer.send(`\xff\xfd\x18${said.repeat(100_000)}`);
          await peer.closed;
        },
        { terminalType: "dumb" },
      );
      await expect(session.readAll()).rejects.toMatchObject({ code: "limit", limit: "maxOptionChanges" });
      const [connection] = session.server.connections;
      await connection?.closed;
      const first = "\xff\xfb\x18";
      // Answers that are unsent at the limit are lost with the connection.
      expect(`${first}${answer.repeat(63)}`).toContain(connection?.received.toString("latin1"));
    },
  );

  it("the client does not limit the negotiations that follow input of the user", async () => {
    await using session = await startTelnetTestSession(async (peer) => {
      for (let turn = 0; turn < 200; turn++) {
        peer.send("\xff\xfd\x01.");
        await peer.readBytes(4);
      }
    });
    const reader = session.session.readable.getReader();
    for (let turn = 0; turn < 200; turn++) {
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(".");
      await session.sendText("x");
    }
    expect((await reader.read()).done).toBe(true);
  });

  it("the client ignores an endless stream of the Telnet commands NOP, AYT and GA", async () => {
    await using session = await startTelnetTestSession(async (peer) => {
      for (let block = 0; block < 200; block++) peer.send("\xff\xf1\xff\xf6\xff\xf9".repeat(10_000));
      peer.send("over");
      await Promise.resolve();
    });
    expect(await session.readAll()).toBe("over");
    expect(session.server.connections[0]?.received).toHaveLength(0);
  });

  it("the client ends the session when a subnegotiation exceeds maxSubnegotiationBytes", async () => {
    await using session = await startTelnetTestSession(async (peer) => {
      peer.send(`\xff\xfa\x18${"x".repeat(1_000_000)}`);
      await peer.closed;
    });
    await expect(session.readAll()).rejects.toMatchObject({ code: "limit", limit: "maxSubnegotiationBytes" });
  });

  it("the client loses no byte when the caller reads the data in small chunks", async () => {
    const whole = Buffer.alloc(6_000_000, "0123456789\xff\xff", "latin1");
    await using session = await startTelnetTestSession((peer) => peer.send(whole));
    const reader = session.session.readable.getReader({ mode: "byob" });
    let count = 0;
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(1000));
      if (done) break;
      count += value.length;
    }
    expect(count).toBe((whole.length / 12) * 11);
  });
});

describe("a Telnet session ends", () => {
  it("a session that the server ends yields the last bytes, and then refuses writes", async () => {
    await using session = await startTelnetTestSession((peer) => peer.send("bye"));
    expect(await session.readAll()).toBe("bye");
    await expect(session.sendText("late")).rejects.toMatchObject({ code: "incomplete" });
  });

  it("a Telnet session reports a connection reset as incomplete", async () => {
    await using session = await startTelnetTestSession(async (peer) => {
      peer.send("half");
      await peer.readBytes(1);
      peer.reset();
    });
    const reader = session.session.readable.getReader();
    await reader.read();
    await session.sendText("x");
    await expect(reader.read()).rejects.toMatchObject({
      code: "incomplete",
      message: /read telnet:\/\/bob:\*{4}@/,
    });
  });

  it("a Telnet session ends both directions after close()", async () => {
    await using session = await startTelnetTestSession((peer) => peer.closed);
    const reading = session.readAll();
    await session.session.close();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    await expect(session.sendText("x")).rejects.toMatchObject({ code: "aborted" });
    await session.server.connections[0]?.closed;
  });

  it("a Telnet session ends after the end of the input and the answer of the server", async () => {
    const answerEndOfInput = async (peer: ScriptedPeer): Promise<void> => {
      await peer.closed;
      peer.send("last words");
    };
    await using session = await startTelnetTestSession(answerEndOfInput, { closeAfterSilenceMs: 0 });
    await session.sendText("x");
    const reading = session.readAll();
    await session.endInput();
    expect(await reading).toBe("last words");
  });

  it("a Telnet session ends when the caller cancels the readable stream", async () => {
    await using session = await startTelnetTestSession((peer) => peer.closed);
    await session.session.readable.cancel();
    await session.server.connections[0]?.closed;
  });

  it("a Telnet session ends when the signal aborts, and when the client is destroyed", async () => {
    const controller = new AbortController();
    await using session = await startTelnetTestSession((peer) => peer.closed, { signal: controller.signal });
    const reading = session.readAll();
    controller.abort();
    await expect(reading).rejects.toMatchObject({
      code: "aborted",
      message: /the caller aborted the request/,
    });
    await session.server.connections[0]?.closed;

    await using other = await startTelnetTestSession((peer) => peer.closed);
    const silent = other.readAll();
    await other.client.destroy();
    await expect(silent).rejects.toMatchObject({ code: "aborted", message: /the client was closed/ });
    await other.server.connections[0]?.closed;
  });

  it("a Telnet session ends when neither side sends data for interactiveIdleTimeoutMs", async () => {
    await using session = await startTelnetTestSession((peer) => peer.closed, {
      limits: { interactiveIdleTimeoutMs: 50 },
    });
    await expect(session.readAll()).rejects.toMatchObject({
      code: "timeout",
      limit: "interactiveIdleTimeoutMs",
    });
    await session.server.connections[0]?.closed;
  });
});

it("the client traces the negotiated Telnet options, but no data", async () => {
  const events: TraceEvent[] = [];
  await using session = await startTelnetTestSession(
    async (peer) => {
      peer.send("\xff\xfb\x01\xff\xfd\x27Password: ");
      await peer.readBytes(12);
    },
    { traceListener: (event) => void events.push(event) },
  );
  await session.sendText("n33dle");
  await session.readAll();
  expect(events.map(({ action, text }) => `${action} ${text}`)).toEqual([
    `connect 127.0.0.1 port ${session.server.port}`,
    "receive WILL ECHO",
    "send DO ECHO",
    "receive DO NEW-ENVIRON",
    "send WONT NEW-ENVIRON",
  ]);
  expect(JSON.stringify(events)).not.toMatch(/n33dle|Password/);
});
