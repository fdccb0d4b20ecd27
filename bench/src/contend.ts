import { mostMemoryKiB } from "./most-memory.ts";
import type { Sample } from "./race.ts";

/** How much a contender does. */
export interface Task {
  readonly amount: number;
  readonly atOnce: number;
  /** Done before, unmeasured: a process that has just begun runs code that nobody has optimized yet. */
  readonly warmUp: () => Promise<unknown>;
}

/** Does one piece of work again and again, some at once; gives how much was done. */
export async function perform(
  work: () => Promise<number>,
  { amount, atOnce }: Omit<Task, "warmUp">,
): Promise<number> {
  let left = amount;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      // Not in one expression: others count meanwhile.
      const more = await work();
      done += more;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return done;
}

/** Measures the work, tells the process that has begun this one, and ends. */
export async function contend(work: () => Promise<number>, task: Task): Promise<never> {
  await task.warmUp();
  const before = process.memoryUsage.rss();
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  const done = await perform(work, task);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const rssMiB = (mostMemoryKiB() * 1024 - before) / 2 ** 20;
  const sample: Sample = { ms, done, cpuMs: (user + system) / 1000, rssMiB };
  process.stdout.write(JSON.stringify(sample));
  process.exit();
}
