import { AccessError, type AccessCode } from "../errors/access-error.ts";
import type { ByteSource } from "../scheme/content.ts";
import type { Resume } from "../scheme/plan.ts";
import { delay } from "./delay.ts";

/** What a lost connection looks like. Everything else would be lost again. */
const LOST: ReadonlySet<AccessCode> = new Set(["incomplete", "timeout", "unavailable"]);

/** After so many bytes a connection counts as one that works, and the attempts are counted anew. */
const PROGRESS_BYTES = 65_536;

/** No wait is longer, whatever the doubling makes of it. */
const MAX_BACKOFF_MS = 60_000;

const final = new WeakSet<Error>();

/**
 * The error for a content of which the server has another one now: thrown by `reopen`, it ends all attempts at once. Code
 * `incomplete`; `what` says what has changed.
 */
export function contentChangedError(what: string): AccessError {
  const error = new AccessError("incomplete", `the content has changed since its transfer began: ${what}`);
  final.add(error);
  return error;
}

/** How a source is opened again. */
export interface ResumeOptions {
  readonly resume: Resume;
  /** Opens the bytes from this one on, after making sure that they are still those of the same content; else {@link contentChangedError}. */
  reopen(offset: number): Promise<ByteSource>;
  /** Ends a wait. */
  readonly signal: AbortSignal;
  /** Where in the content the first source begins. Default 0. */
  readonly start?: number | undefined;
}

/** A source that survives lost connections: it is opened again at the byte that was reached. */
export function resumableSource(first: ByteSource, how: ResumeOptions): ByteSource {
  const { attempts = 3, backoffMs = 500 } = how.resume;
  let source = first;
  let offset = how.start ?? 0;
  let since = 0;
  let failed = 0;
  let given = false;

  async function again(loss: unknown): Promise<void> {
    source.cancel();
    for (let cause = loss; ;) {
      if (given || how.signal.aborted || !isLost(cause) || failed >= attempts) throw cause;
      await delay(Math.min(backoffMs * 2 ** failed, MAX_BACKOFF_MS), how.signal);
      failed++;
      try {
        source = await how.reopen(offset);
        since = 0;
        // Whoever gave up meanwhile could only cancel the source before.
        if (given) source.cancel();
        return;
      } catch (error) {
        cause = error;
      }
    }
  }

  return {
    async read(take) {
      for (;;) {
        try {
          return await source.read((bytes) => {
            offset += bytes.length;
            since += bytes.length;
            if (since >= PROGRESS_BYTES) failed = 0;
            return take(bytes);
          });
        } catch (error) {
          await again(error);
        }
      }
    },
    cancel() {
      given = true;
      source.cancel();
    },
  };
}

function isLost(error: unknown): boolean {
  return error instanceof AccessError && LOST.has(error.code) && !final.has(error);
}
