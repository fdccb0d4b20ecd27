import { AccessError, type AccessErrorCode } from "../errors/access-error.ts";
import type { ByteSource } from "../scheme/context.ts";
import type { BodyResumeOptions } from "../scheme/plan.ts";
import { delay } from "./abort.ts";

/**
 * The error codes of a lost connection. An attempt to resume the transfer after an error with another code would fail
 * again.
 */
const CONNECTION_LOST_CODES: ReadonlySet<AccessErrorCode> = new Set(["incomplete", "timeout", "unavailable"]);

/** After this number of bytes without a failure, the count of failed attempts restarts at zero. */
const PROGRESS_RESET_BYTES = 65_536;

const MAX_BACKOFF_MS = 60_000;

/** An error that tells the source not to resume, because the content has changed. */
class ContentChangedError extends AccessError {}

/**
 * Creates the error that `reopen` throws for content that has changed on the server, with the code `incomplete`. After
 * this error, the source makes no further attempt to resume the transfer.
 */
export function createContentChangedError(change: string): AccessError {
  return new ContentChangedError("incomplete", `the content has changed since its transfer began: ${change}`);
}

export interface ResumableSourceOptions {
  readonly resume: BodyResumeOptions;
  /**
   * Opens a source of the content's bytes from an offset on. Throws {@link createContentChangedError} when the
   * content has changed.
   */
  reopen(offset: number): Promise<ByteSource>;
  /** Aborts the wait before an attempt to resume the transfer. */
  readonly signal: AbortSignal;
  /** The offset in the content at which the first source starts. Default 0. */
  readonly startOffset?: number | undefined;
}

/** Returns a source that is reopened at the current offset after a lost connection. */
export function createResumableSource(first: ByteSource, options: ResumableSourceOptions): ByteSource {
  const { maxRetries = 3, backoffMs = 500 } = options.resume;
  let source = first;
  let offset = options.startOffset ?? 0;
  let progress = 0;
  let failedAttempts = 0;
  let isCancelled = false;

  async function reopen(loss: unknown): Promise<void> {
    source.cancel();
    for (let cause = loss; ;) {
      if (isCancelled || options.signal.aborted || !isConnectionLost(cause) || failedAttempts >= maxRetries)
        throw cause;
      await delay(Math.min(backoffMs * 2 ** failedAttempts, MAX_BACKOFF_MS), options.signal);
      failedAttempts++;
      try {
        source = await options.reopen(offset);
        progress = 0;
        // A `cancel` during the attempt to resume the transfer has cancelled only the source of the lost connection.
        if (isCancelled) source.cancel();
        return;
      } catch (error) {
        cause = error;
      }
    }
  }

  return {
    async readChunks(onChunk) {
      for (;;) {
        try {
          return await source.readChunks((bytes) => {
            offset += bytes.length;
            progress += bytes.length;
            if (progress >= PROGRESS_RESET_BYTES) failedAttempts = 0;
            return onChunk(bytes);
          });
        } catch (error) {
          await reopen(error);
        }
      }
    },
    cancel() {
      isCancelled = true;
      source.cancel();
    },
  };
}

function isConnectionLost(error: unknown): boolean {
  return (
    error instanceof AccessError &&
    CONNECTION_LOST_CODES.has(error.code) &&
    !(error instanceof ContentChangedError)
  );
}
