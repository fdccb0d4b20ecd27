/** What the system says of a port, and what to do. */
const REASONS: Readonly<Record<string, readonly [reason: string, advice: string]>> = {
  EADDRINUSE: ["another program uses it", "give another one with --port, or --port 0 for any free one"],
  EACCES: ["permission denied", "give a port from 1024 on with --port"],
};

/** The gateway cannot listen at its port. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** What to do about it; `undefined` where the reason alone tells. */
  readonly advice: string | undefined;

  constructor(host: string, port: number, cause: unknown) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const [reason, advice] = REASONS[code] ?? [message];
    super(`cannot listen at ${host} port ${port}: ${reason}`, { cause });
    this.advice = advice;
  }
}
