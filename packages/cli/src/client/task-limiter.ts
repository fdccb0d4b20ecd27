/**
 * Limits the number of concurrent transfers, called tasks, in total and per host. Tasks above a limit wait in a queue.
 */
export interface TaskLimiter {
  /**
   * Runs the task as soon as the maximum numbers of concurrent transfers allow another transfer. Settles with the
   * result or the error of the task.
   */
  readonly run: <T>(host: string, task: () => Promise<T>) => Promise<T>;
}

/**
 * Creates a task limiter. The default of three tasks per host is lower than in browsers, which open six
 * connections to one host.
 */
export function createTaskLimiter(maxTotal = 8, maxPerHost = 3): TaskLimiter {
  const runningPerHost = new Map<string, number>();
  const waiting: { readonly host: string; readonly start: () => void }[] = [];
  let running = 0;
  const isFree = (host: string): boolean =>
    running < maxTotal && (runningPerHost.get(host) ?? 0) < maxPerHost;
  const count = (host: string, change: 1 | -1): void => {
    running += change;
    const runningAtHost = (runningPerHost.get(host) ?? 0) + change;
    if (runningAtHost > 0) runningPerHost.set(host, runningAtHost);
    else runningPerHost.delete(host);
  };
  const startNext = (): void => {
    const index = waiting.findIndex(({ host }) => isFree(host));
    const [next] = index < 0 ? [] : waiting.splice(index, 1);
    if (!next) return;
    count(next.host, 1);
    next.start();
  };
  return {
    async run(host, task) {
      if (isFree(host)) count(host, 1);
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push({ host, start: resolve });
        await promise;
      }
      try {
        return await task();
      } finally {
        count(host, -1);
        startNext();
      }
    },
  };
}
