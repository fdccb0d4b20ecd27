import { readPeakMemoryKiB } from "./peak-memory.ts";
import type { ChildProcessMeasurement } from "./compare-processes.ts";

/** The number of repetitions, the concurrency and the warm-up of a measured task. */
export interface WorkloadSettings {
  readonly repetitions: number;
  readonly concurrency: number;
  /** Runs the task before the measurement, so that V8 has optimized the code. */
  readonly warmUp: () => Promise<unknown>;
}

/** Repeats a task with the given concurrency. Returns the sum of the task's results. */
export async function repeatTaskAndSumResults(
  work: () => number | Promise<number>,
  { repetitions, concurrency }: Omit<WorkloadSettings, "warmUp">,
): Promise<number> {
  let left = repetitions;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      // `done += await work()` would lose the additions of other workers, because it reads `done` before the
      // wait.
      const more = await work();
      done += more;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return done;
}

/** Measures the time, the CPU time and the memory of a repeated task, prints them as JSON, and exits. */
export async function measureAndExit(work: () => Promise<number>, task: WorkloadSettings): Promise<never> {
  await task.warmUp();
  const before = process.memoryUsage.rss();
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  const done = await repeatTaskAndSumResults(work, task);
  const durationMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const addedMemoryMiB = (readPeakMemoryKiB() * 1024 - before) / 2 ** 20;
  const sample: ChildProcessMeasurement = {
    durationMs,
    processedAmount: done,
    cpuMs: (user + system) / 1000,
    addedMemoryMiB,
  };
  process.stdout.write(JSON.stringify(sample));
  process.exit();
}
