import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type TestSession, startSession, type SessionOptions } from "./telnet-server.ts";

// The test controls only the timers. Sockets use real time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits until the condition is true. Data on the sockets arrives during this time. */
async function until(condition: () => boolean): Promise<void> {
  do await new Promise(setImmediate);
  while (!condition());
}

/** Advances the timers after the session has started to wait. */
async function pass(ms: number): Promise<void> {
  await until(() => true);
  vi.advanceTimersByTime(ms);
}

interface Service extends TestSession {
  /** Sends text from the server. */
  say(text: string): void;
  /** Ends the output of the server. */
  hangUp(): void;
  /** Returns the next data for the user, or `undefined` at the end. */
  next(): Promise<string | undefined>;
  /** True when the output for the user has ended. */
  readonly isEnded: boolean;
  /** Settles when the output for the user has ended. */
  readonly ended: Promise<void>;
}

async function connect(options: SessionOptions = {}): Promise<Service> {
  let hangUp = (): void => undefined;
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  const service = {
    say: (text: string): void => expect.unreachable(text),
    hangUp,
    isEnded: false,
    ended: hungUp,
  };
  let accepted = (): void => undefined;
  const connected = new Promise<void>((resolve) => (accepted = resolve));
  const session = await startSession(async (peer) => {
    service.say = (text) => peer.send(text);
    service.ended = peer.closed.then(() => {
      service.isEnded = true;
    });
    accepted();
    await hungUp;
  }, options);
  await connected;
  const reader = session.session.readable.getReader();
  const next = async (): Promise<string | undefined> => {
    const { value } = await reader.read();
    return value && Buffer.from(value).toString("latin1");
  };
  return Object.assign(service, session, {
    next,
    [Symbol.asyncDispose]() {
      hangUp();
      return session[Symbol.asyncDispose]();
    },
  });
}

describe("the end of the input of a Telnet session", () => {
  it("closes the connection when the server has answered and been silent for 3 seconds", async () => {
    await using service = await connect();
    await service.type("hello\r\n");
    const closing = service.end();
    service.say("you said: hello\r\n");
    expect(await service.next()).toBe("you said: hello\r\n");
    const ended = service.next();
    await pass(2999);
    service.say("$ ");
    expect([await ended, service.isEnded]).toEqual(["$ ", false]);
    const last = service.next();
    await pass(2999);
    expect(service.isEnded).toBe(false);
    await pass(1);
    await Promise.all([closing, service.ended]);
    service.hangUp();
    expect(await last).toBeUndefined();
  });

  it("waits for a silence of closeAfterSilenceMs, and longer during negotiations", async () => {
    await using service = await connect({ closeAfterSilenceMs: 500 });
    service.say("login: ");
    await service.type("bob\r\n");
    const closing = service.end();
    expect(await service.next()).toBe("login: ");
    const shown = service.next();
    await pass(499);
    service.say("\xff\xfb\x05");
    await until(() => service.server.connections[0]?.received.at(-1) === 0x05);
    await pass(499);
    expect(service.isEnded).toBe(false);
    await pass(1);
    await closing;
    service.hangUp();
    expect(await shown).toBeUndefined();
  });

  it.each([
    ["nothing", ""],
    ["only negotiations", "\xff\xfd\x27"],
  ])("fails after firstByteTimeoutMs when the server sends %s", async (_, answer) => {
    await using service = await connect({ limits: { firstByteTimeoutMs: 7000 } });
    await service.type("hello\r\n");
    const closing = expect(service.end()).rejects.toMatchObject({ code: "timeout" });
    const shown = expect(service.next()).rejects.toMatchObject({
      code: "timeout",
      limit: "firstByteTimeoutMs",
      message: expect.stringContaining("the server did not answer") as string,
    });
    if (answer !== "") {
      service.say(answer);
      await until(() => service.server.connections[0]?.received.at(-1) === 0x27);
    }
    await pass(6999);
    expect(service.isEnded).toBe(false);
    await pass(1);
    await Promise.all([closing, shown, service.ended]);
  });

  it("does not count the time with unread data as silence", async () => {
    await using service = await connect();
    await service.type("hello\r\n");
    service.say("one");
    const closing = service.end();
    expect(await service.next()).toBe("one");
    service.say("two");
    // The session reads one chunk ahead. Only the timer of sessionIdleTimeoutMs remains.
    await until(() => vi.getTimerCount() === 1);
    await pass(60_000);
    expect(service.isEnded).toBe(false);
    expect(await service.next()).toBe("two");
    const last = service.next();
    await pass(3000);
    await closing;
    service.hangUp();
    expect(await last).toBeUndefined();
  });

  it("reports no error when the server ends the session before the client", async () => {
    await using service = await connect();
    await service.type("exit\r\n");
    const closing = service.end();
    service.say("bye");
    service.hangUp();
    expect([await service.next(), await service.next()]).toEqual(["bye", undefined]);
    await closing;
  });

  it("closes the connection after a second silence when the server keeps the connection open", async () => {
    await using service = await connect();
    service.say("hello");
    const closing = service.end();
    expect(await service.next()).toBe("hello");
    const last = service.next();
    await pass(3000);
    await closing;
    await service.ended;
    await pass(3000);
    expect(await last).toBeUndefined();
  });

  it("closes the connection immediately if closeAfterSilenceMs is 0", async () => {
    await using service = await connect({ closeAfterSilenceMs: 0 });
    await service.type("hello\r\n");
    await service.end();
    await service.ended;
    service.say("last words");
    service.hangUp();
    expect([await service.next(), await service.next()]).toEqual(["last words", undefined]);
  });

  it.each([-1, Number.NaN, "3"])(
    "rejects the value %j of closeAfterSilenceMs",
    async (closeAfterSilenceMs) => {
      const options = { closeAfterSilenceMs } as SessionOptions;
      await expect(connect(options)).rejects.toThrow(/closeAfterSilenceMs.* a number from 0 to \d+/);
    },
  );
});
