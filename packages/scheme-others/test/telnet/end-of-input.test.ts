import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type TelnetTestSession,
  startTelnetTestSession,
  type TelnetTestSessionOptions,
} from "./telnet-test-session.ts";

// The test controls only the timers, and not the sockets. The sockets of the test use real time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits until the condition is true, so that data on the sockets can arrive. */
async function waitUntil(condition: () => boolean): Promise<void> {
  do await new Promise(setImmediate);
  while (!condition());
}

/** Advances the timers after the session has started to wait. */
async function advanceTimers(ms: number): Promise<void> {
  await waitUntil(() => true);
  vi.advanceTimersByTime(ms);
}

interface SessionWithFakeTimers extends TelnetTestSession {
  /** Sends text from the server to the session. */
  sendFromServer(text: string): void;
  /** Ends the output of the server. */
  endServerOutput(): void;
  /** Returns the next data for the user, or `undefined` at the end. */
  readNextText(): Promise<string | undefined>;
  /** True when the client has closed its sending side. */
  readonly isEnded: boolean;
  /** Settles when the client has closed its sending side. */
  readonly ended: Promise<void>;
}

async function startSessionWithFakeTimers(
  options: TelnetTestSessionOptions = {},
): Promise<SessionWithFakeTimers> {
  let endServerOutput = (): void => undefined;
  const outputEnded = new Promise<void>((resolve) => (endServerOutput = resolve));
  const service = {
    sendFromServer: (text: string): void => expect.unreachable(text),
    endServerOutput,
    isEnded: false,
    ended: outputEnded,
  };
  let accepted = (): void => undefined;
  const connected = new Promise<void>((resolve) => (accepted = resolve));
  const session = await startTelnetTestSession(async (peer) => {
    service.sendFromServer = (text) => peer.send(text);
    service.ended = peer.closed.then(() => {
      service.isEnded = true;
    });
    accepted();
    await outputEnded;
  }, options);
  await connected;
  const reader = session.session.readable.getReader();
  const readNextText = async (): Promise<string | undefined> => {
    const { value } = await reader.read();
    return value && Buffer.from(value).toString("latin1");
  };
  return Object.assign(service, session, {
    readNextText,
    [Symbol.asyncDispose]() {
      endServerOutput();
      return session[Symbol.asyncDispose]();
    },
  });
}

describe("the caller ends the input of a Telnet session", () => {
  it("the client closes the connection when the server has answered and been silent for 3 seconds", async () => {
    await using service = await startSessionWithFakeTimers();
    await service.sendText("hello\r\n");
    const closing = service.endInput();
    service.sendFromServer("you said: hello\r\n");
    expect(await service.readNextText()).toBe("you said: hello\r\n");
    const ended = service.readNextText();
    await advanceTimers(2999);
    service.sendFromServer("$ ");
    expect([await ended, service.isEnded]).toEqual(["$ ", false]);
    const last = service.readNextText();
    await advanceTimers(2999);
    expect(service.isEnded).toBe(false);
    await advanceTimers(1);
    await Promise.all([closing, service.ended]);
    service.endServerOutput();
    expect(await last).toBeUndefined();
  });

  it("the client waits for a silence of closeAfterSilenceMs, and longer during negotiations", async () => {
    await using service = await startSessionWithFakeTimers({ closeAfterSilenceMs: 500 });
    service.sendFromServer("login: ");
    await service.sendText("bob\r\n");
    const closing = service.endInput();
    expect(await service.readNextText()).toBe("login: ");
    const shown = service.readNextText();
    await advanceTimers(499);
    service.sendFromServer("\xff\xfb\x05");
    await waitUntil(() => service.server.connections[0]?.received.at(-1) === 0x05);
    await advanceTimers(499);
    expect(service.isEnded).toBe(false);
    await advanceTimers(1);
    await closing;
    service.endServerOutput();
    expect(await shown).toBeUndefined();
  });

  it.each([
    ["nothing", ""],
    ["only negotiations", "\xff\xfd\x27"],
  ])("the client fails after firstByteTimeoutMs when the server sends %s", async (_, answer) => {
    await using service = await startSessionWithFakeTimers({ limits: { firstByteTimeoutMs: 7000 } });
    await service.sendText("hello\r\n");
    const closing = expect(service.endInput()).rejects.toMatchObject({ code: "timeout" });
    const shown = expect(service.readNextText()).rejects.toMatchObject({
      code: "timeout",
      limit: "firstByteTimeoutMs",
      message: expect.stringContaining("the server did not answer") as string,
    });
    if (answer !== "") {
      service.sendFromServer(answer);
      await waitUntil(() => service.server.connections[0]?.received.at(-1) === 0x27);
    }
    await advanceTimers(6999);
    expect(service.isEnded).toBe(false);
    await advanceTimers(1);
    await Promise.all([closing, shown, service.ended]);
  });

  it("the client does not count the time with unread data as silence", async () => {
    await using service = await startSessionWithFakeTimers();
    await service.sendText("hello\r\n");
    service.sendFromServer("one");
    const closing = service.endInput();
    expect(await service.readNextText()).toBe("one");
    service.sendFromServer("two");
    // The session reads one chunk ahead. The session has no timer except the timer of interactiveIdleTimeoutMs.
    await waitUntil(() => vi.getTimerCount() === 1);
    await advanceTimers(60_000);
    expect(service.isEnded).toBe(false);
    expect(await service.readNextText()).toBe("two");
    const last = service.readNextText();
    await advanceTimers(3000);
    await closing;
    service.endServerOutput();
    expect(await last).toBeUndefined();
  });

  it("the client reports no error when the server ends the session before the client", async () => {
    await using service = await startSessionWithFakeTimers();
    await service.sendText("exit\r\n");
    const closing = service.endInput();
    service.sendFromServer("bye");
    service.endServerOutput();
    expect([await service.readNextText(), await service.readNextText()]).toEqual(["bye", undefined]);
    await closing;
  });

  it("the client closes the connection after a second silence when the server keeps the connection open", async () => {
    await using service = await startSessionWithFakeTimers();
    service.sendFromServer("hello");
    const closing = service.endInput();
    expect(await service.readNextText()).toBe("hello");
    const last = service.readNextText();
    await advanceTimers(3000);
    await closing;
    await service.ended;
    await advanceTimers(3000);
    expect(await last).toBeUndefined();
  });

  it("the client closes the connection immediately if closeAfterSilenceMs is 0", async () => {
    await using service = await startSessionWithFakeTimers({ closeAfterSilenceMs: 0 });
    await service.sendText("hello\r\n");
    await service.endInput();
    await service.ended;
    service.sendFromServer("last words");
    service.endServerOutput();
    expect([await service.readNextText(), await service.readNextText()]).toEqual(["last words", undefined]);
  });

  it.each([-1, Number.NaN, "3"])(
    "the client rejects the value %j of closeAfterSilenceMs",
    async (closeAfterSilenceMs) => {
      const options = { closeAfterSilenceMs } as TelnetTestSessionOptions;
      await expect(startSessionWithFakeTimers(options)).rejects.toThrow(
        /closeAfterSilenceMs.* a number from 0 to \d+/,
      );
    },
  );
});
