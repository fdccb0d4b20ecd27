/** Lets a bounded number of accesses run at a time, in all and per host; the others wait for their turn, in order. */
export interface Governor {
  /** Runs the work when there is room for it. Rejects as the work does. */
  readonly run: <T>(host: string, work: () => Promise<T>) => Promise<T>;
}

interface Waiting {
  readonly host: string;
  start(): void;
}

/** No server is asked for more at a time than a person with a browser would ask it for. */
const AT_ONCE = 8;
const PER_HOST = 3;

/** Makes a governor for so many accesses at a time. */
export function governor(atOnce: number = AT_ONCE, perHost: number = PER_HOST): Governor {
  const running = new Map<string, number>();
  const waiting: Waiting[] = [];
  let all = 0;
  const hasRoom = (host: string): boolean => all < atOnce && (running.get(host) ?? 0) < perHost;
  const count = (host: string, change: 1 | -1): void => {
    all += change;
    const left = (running.get(host) ?? 0) + change;
    if (left > 0) running.set(host, left);
    else running.delete(host);
  };
  const next = (): void => {
    const at = waiting.findIndex(({ host }) => hasRoom(host));
    if (at >= 0) waiting.splice(at, 1)[0]?.start();
  };
  return {
    async run(host, work) {
      if (hasRoom(host)) count(host, 1);
      else
        await new Promise<void>((resolve) => {
          waiting.push({
            host,
            start() {
              count(host, 1);
              resolve();
            },
          });
        });
      try {
        return await work();
      } finally {
        count(host, -1);
        next();
      }
    },
  };
}
