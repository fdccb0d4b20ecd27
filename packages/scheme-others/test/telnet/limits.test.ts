import { describe, expect, it } from "vitest";
import type { TraceEvent } from "@anyscheme/core";
import type { Peer } from "@anyscheme/core/testing";
import { startSession, readText } from "./telnet-server.ts";

describe("a service that goes on and on", () => {
  it.each([
    ["DO ECHO", "\xff\xfd\x01", "\xff\xfc\x01"],
    ["WILL AUTHENTICATION", "\xff\xfb\x25", "\xff\xfe\x25"],
    ["SEND TERMINAL-TYPE", "\xff\xfa\x18\x01\xff\xf0", "\xff\xfa\x18\0dumb\xff\xf0"],
  ])("with %s is answered 64 times, and then no more", async (_, said, answer) => {
    await using setting = await startSession(
      async (peer) => {
        peer.send(`\xff\xfd\x18${said.repeat(100_000)}`);
        await peer.closed;
      },
      { terminalType: "dumb" },
    );
    await expect(setting.readAll()).rejects.toMatchObject({ code: "limit", limit: "maxOptionChanges" });
    const [connection] = setting.server.connections;
    await connection?.closed;
    const first = "\xff\xfb\x18";
    // What is still unsent when the limit is reached goes with the connection.
    expect(`${first}${answer.repeat(63)}`).toContain(connection?.received.toString("latin1"));
  });

  it("is not cut off when each change follows an input", async () => {
    await using setting = await startSession(async (peer) => {
      for (let turn = 0; turn < 200; turn++) {
        peer.send("\xff\xfd\x01.");
        await peer.read(4);
      }
    });
    const reader = setting.session.readable.getReader();
    for (let turn = 0; turn < 200; turn++) {
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(".");
      await setting.type("x");
    }
    expect((await reader.read()).done).toBe(true);
  });

  it("with commands that mean nothing takes neither memory nor answers", async () => {
    await using setting = await startSession(async (peer) => {
      for (let block = 0; block < 200; block++) peer.send("\xff\xf1\xff\xf6\xff\xf9".repeat(10_000));
      peer.send("over");
      await Promise.resolve();
    });
    expect(await setting.readAll()).toBe("over");
    expect(setting.server.connections[0]?.received).toHaveLength(0);
  });

  it("with a subnegotiation is cut off", async () => {
    await using setting = await startSession(async (peer) => {
      peer.send(`\xff\xfa\x18${"x".repeat(1_000_000)}`);
      await peer.closed;
    });
    await expect(setting.readAll()).rejects.toMatchObject({ code: "limit", limit: "maxSubnegotiationBytes" });
  });

  it("with data is read at the reader's pace, to the last byte", async () => {
    const whole = Buffer.alloc(6_000_000, "0123456789\xff\xff", "latin1");
    await using setting = await startSession((peer) => peer.send(whole));
    const reader = setting.session.readable.getReader({ mode: "byob" });
    let count = 0;
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(1000));
      if (done) break;
      count += value.length;
    }
    expect(count).toBe((whole.length / 12) * 11);
  });
});

describe("a session ends", () => {
  it("by the service, after its last bytes; then nothing more can be sent", async () => {
    await using setting = await startSession((peer) => peer.send("bye"));
    expect(await setting.readAll()).toBe("bye");
    await expect(setting.type("late")).rejects.toMatchObject({ code: "incomplete" });
  });

  it("by a reset, as a broken connection", async () => {
    await using setting = await startSession(async (peer) => {
      peer.send("half");
      await peer.read(1);
      peer.reset();
    });
    const reader = setting.session.readable.getReader();
    await reader.read();
    await setting.type("x");
    await expect(reader.read()).rejects.toMatchObject({
      code: "incomplete",
      message: /read telnet:\/\/bob:\*{4}@/,
    });
  });

  it("by the user, on both sides", async () => {
    await using setting = await startSession((peer) => peer.closed);
    const reading = setting.readAll();
    await setting.session.close();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    await expect(setting.type("x")).rejects.toMatchObject({ code: "aborted" });
    await setting.server.connections[0]?.closed;
  });

  it("by the end of what the user sends, when the service has answered that", async () => {
    const answersTheEnd = async (peer: Peer): Promise<void> => {
      await peer.closed;
      peer.send("last words");
    };
    await using setting = await startSession(answersTheEnd, { closeAfterSilenceMs: 0 });
    const { session } = setting;
    await setting.type("x");
    const reading = readText(session.readable);
    await setting.end();
    expect(await reading).toBe("last words");
  });

  it("by giving up reading", async () => {
    await using setting = await startSession((peer) => peer.closed);
    await setting.session.readable.cancel();
    await setting.server.connections[0]?.closed;
  });

  it("by an abort and by the end of the client", async () => {
    const controller = new AbortController();
    await using setting = await startSession((peer) => peer.closed, { signal: controller.signal });
    const reading = setting.readAll();
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: "aborted", message: /the caller gave up/ });
    await setting.server.connections[0]?.closed;

    await using other = await startSession((peer) => peer.closed);
    const silent = other.readAll();
    await other.client.destroy();
    await expect(silent).rejects.toMatchObject({ code: "aborted", message: /the client was closed/ });
    await other.server.connections[0]?.closed;
  });

  it("by the silence of both sides", async () => {
    await using setting = await startSession((peer) => peer.closed, { limits: { sessionIdleTimeoutMs: 50 } });
    await expect(setting.readAll()).rejects.toMatchObject({ code: "timeout", limit: "sessionIdleTimeoutMs" });
    await setting.server.connections[0]?.closed;
  });
});

it("a transcript has the options, and nothing that was typed or shown", async () => {
  const events: TraceEvent[] = [];
  await using setting = await startSession(
    async (peer) => {
      peer.send("\xff\xfb\x01\xff\xfd\x27Password: ");
      await peer.read(12);
    },
    { transcript: (event) => void events.push(event) },
  );
  await setting.type("n33dle");
  await setting.readAll();
  expect(events.map(({ action, text }) => `${action} ${text}`)).toEqual([
    `connect 127.0.0.1 port ${setting.server.port}`,
    "receive WILL ECHO",
    "send DO ECHO",
    "receive DO NEW-ENVIRON",
    "send WONT NEW-ENVIRON",
  ]);
  expect(JSON.stringify(events)).not.toMatch(/n33dle|Password/);
});
