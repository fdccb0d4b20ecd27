import { afterEach, describe, expect, it, vi } from "vitest";
import { AccessError, type AccessErrorCode } from "../../src/errors/access-error.ts";
import type { ByteSource } from "../../src/scheme/context.ts";
import type { BodyResumeOptions } from "../../src/scheme/plan.ts";
import { createContentChangedError, createResumableSource } from "../../src/io/resume.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { type RecordingByteSource, createRecordingByteSource } from "../recording-byte-source.ts";

afterEach(() => {
  vi.useRealTimers();
});

const WHOLE_CONTENT = Buffer.from("0123456789");
const createConnectionLostError = (code: AccessErrorCode = "incomplete"): AccessError =>
  new AccessError(code, "cut off");

/** Opens a source of the bytes from an offset up to `place`, where the connection is lost. */
const createSourceLostAt =
  (place: number, code?: AccessErrorCode) =>
  (offset: number): RecordingByteSource =>
    createRecordingByteSource([WHOLE_CONTENT.subarray(offset, place)], createConnectionLostError(code));
const createCompleteSource = (offset: number): RecordingByteSource =>
  createRecordingByteSource([WHOLE_CONTENT.subarray(offset)]);
const failToOpen = (code: AccessErrorCode) => (): never => {
  throw createConnectionLostError(code);
};

type OpenSourceAt = (offset: number) => RecordingByteSource;

/** Reads from all sources in order. Returns the bytes and the offsets at which sources were opened. */
async function read(
  openings: readonly OpenSourceAt[],
  resume: BodyResumeOptions = { backoffMs: 0 },
): Promise<{
  text: string;
  offsets: number[];
  sources: RecordingByteSource[];
  failure: AccessError | undefined;
}> {
  const offsets: number[] = [];
  const sources: RecordingByteSource[] = [];
  const open = (offset: number): RecordingByteSource => {
    offsets.push(offset);
    const opening = openings[offsets.length - 1];
    if (!opening) throw new Error("the source was opened once more than the row expects");
    const source = opening(offset);
    sources.push(source);
    return source;
  };
  const { signal } = new AbortController();
  const whole = createResumableSource(open(0), { resume, signal, reopen: async (offset) => open(offset) });
  let text = "";
  const drain = async (source: ByteSource): Promise<void> => {
    // The reader stops after each chunk.
    while ((await source.readChunks((bytes) => ((text += Buffer.from(bytes)), false))) === "more");
  };
  const failure = await drain(whole).then(
    () => undefined,
    (error: AccessError) => error,
  );
  return { text, offsets, sources, failure };
}

describe("a source that resumes after a lost connection", () => {
  it.each([
    ["a connection that is not lost", [createCompleteSource], [0]],
    ["one lost connection", [createSourceLostAt(4), createCompleteSource], [0, 4]],
    ["a connection lost before the first byte", [createSourceLostAt(0), createCompleteSource], [0, 0]],
    ["a connection lost after the last byte", [createSourceLostAt(10), createCompleteSource], [0, 10]],
    [
      "losses of every kind",
      [
        createSourceLostAt(2),
        createSourceLostAt(5, "timeout"),
        createSourceLostAt(7, "unavailable"),
        createCompleteSource,
      ],
      [0, 2, 5, 7],
    ],
    [
      "a server that is unreachable for a while",
      [createSourceLostAt(3), failToOpen("unavailable"), failToOpen("timeout"), createCompleteSource],
      [0, 3, 3, 3],
    ],
  ])("a resumed source returns each byte once: %s", async (_, openings, offsets) => {
    const seen = await read(openings);
    expect(seen).toMatchObject({ text: String(WHOLE_CONTENT), offsets, failure: undefined });
    const cut = seen.sources.slice(0, -1);
    expect(cut.map(({ cancelled }) => cancelled)).toEqual(cut.map(() => true));
  });

  it.each([
    [
      "maxRetries is reached",
      [createSourceLostAt(1), createSourceLostAt(2), createSourceLostAt(3)],
      { maxRetries: 2, backoffMs: 0 },
      "incomplete",
      "012",
    ],
    ["no retry is allowed", [createSourceLostAt(1)], { maxRetries: 0 }, "incomplete", "0"],
    [
      "an error occurs that is no lost connection",
      [createSourceLostAt(1, "protocol")],
      { backoffMs: 0 },
      "protocol",
      "0",
    ],
    [
      "the content is gone",
      [createSourceLostAt(1), failToOpen("not-found")],
      { backoffMs: 0 },
      "not-found",
      "0",
    ],
  ])("a source stops resuming when %s", async (_, openings, resume, code, text) => {
    expect(await read(openings, resume)).toMatchObject({ text, failure: { code } });
  });

  it.each([
    ["first", [createSourceLostAt(1)], [0, 1]],
    ["second", [createSourceLostAt(1), failToOpen("unavailable")], [0, 1, 1]],
  ])("a source stops resuming when the %s attempt finds changed content", async (_, openings, offsets) => {
    const changed = (): never => {
      throw createContentChangedError("the file has 9 bytes, and had 10 before");
    };
    expect(await read([...openings, changed], { maxRetries: 3, backoffMs: 0 })).toMatchObject({
      text: "0",
      offsets,
      failure: {
        code: "incomplete",
        reason: "the content has changed since its transfer began: the file has 9 bytes, and had 10 before",
      },
    });
  });

  it.each<[name: string, resume: BodyResumeOptions, waits: number[]]>([
    ["500 ms by default, three times", {}, [500, 1_000, 2_000]],
    ["the caller sets backoffMs and maxRetries", { backoffMs: 30, maxRetries: 4 }, [30, 60, 120, 240]],
    ["60 s at most", { backoffMs: 20_000, maxRetries: 5 }, [20_000, 40_000, 60_000, 60_000, 60_000]],
    ["60 s at most from the first", { backoffMs: 90_000, maxRetries: 2 }, [60_000, 60_000]],
  ])("the wait doubles before each retry: %s", async (_, resume, waits) => {
    vi.useFakeTimers();
    const begunMs: number[] = [Date.now()];
    const source = createResumableSource(createRecordingByteSource([], createConnectionLostError()), {
      resume,
      signal: new AbortController().signal,
      reopen: async () => {
        begunMs.push(Date.now());
        throw createConnectionLostError("unavailable");
      },
    });
    const failure = catchAccessError(source.readChunks(() => true));
    for (let attempt = 0; attempt < waits.length; attempt++) await vi.advanceTimersToNextTimerAsync();
    expect((await failure).code).toBe("unavailable");
    expect(begunMs.slice(1).map((ms, index) => ms - (begunMs[index] ?? 0))).toEqual(waits);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("64 KiB of progress reset the wait between retries", async () => {
    vi.useFakeTimers();
    const piece = new Uint8Array(65_536);
    const begunMs: number[] = [Date.now()];
    const source = createResumableSource(createRecordingByteSource([], createConnectionLostError()), {
      resume: { maxRetries: 3 },
      signal: new AbortController().signal,
      reopen: async () => {
        begunMs.push(Date.now());
        const last = begunMs.length === 4;
        return createRecordingByteSource(
          begunMs.length === 3 ? [piece] : [],
          last ? "end" : createConnectionLostError(),
        );
      },
    });
    const ended = source.readChunks(() => true);
    for (let attempt = 0; attempt < 3; attempt++) await vi.advanceTimersToNextTimerAsync();
    expect(await ended).toBe("end");
    expect(begunMs.slice(1).map((ms, index) => ms - (begunMs[index] ?? 0))).toEqual([500, 1_000, 500]);
  });

  it("64 KiB of progress reset the number of retries", async () => {
    const piece = new Uint8Array(65_536);
    let opened = 0;
    const source = createResumableSource(createRecordingByteSource([piece], createConnectionLostError()), {
      resume: { maxRetries: 1, backoffMs: 0 },
      signal: new AbortController().signal,
      reopen: async () =>
        createRecordingByteSource([piece], ++opened < 5 ? createConnectionLostError() : "end"),
    });
    let bytes = 0;
    while ((await source.readChunks((chunk) => (bytes += chunk.length) < 0)) === "more");
    expect(bytes).toBe(6 * piece.length);
  });

  it("the offset at which a range resumes includes the start of the range", async () => {
    const source = createResumableSource(
      createRecordingByteSource([WHOLE_CONTENT.subarray(3, 5)], createConnectionLostError()),
      {
        resume: { backoffMs: 0 },
        signal: new AbortController().signal,
        startOffset: 3,
        reopen: async (offset) => createCompleteSource(offset),
      },
    );
    let text = "";
    while ((await source.readChunks((bytes) => ((text += Buffer.from(bytes)), true))) === "more");
    expect(text).toBe("3456789");
  });

  it.each(["an abort", "a cancel"])(
    "the end of a request, which begins with %s, ends the wait before the next attempt",
    async (how) => {
      const controller = new AbortController();
      let opened = 0;
      const source = createResumableSource(createRecordingByteSource([], createConnectionLostError()), {
        resume: { backoffMs: 60_000 },
        signal: controller.signal,
        reopen: async () => {
          opened++;
          return createCompleteSource(0);
        },
      });
      const failure = catchAccessError(source.readChunks(() => true));
      await Promise.resolve();
      if (how === "a cancel") source.cancel();
      controller.abort(new AccessError("aborted", "enough"));
      expect((await failure).code).toBe("aborted");
      expect(opened).toBe(0);
    },
  );
});
