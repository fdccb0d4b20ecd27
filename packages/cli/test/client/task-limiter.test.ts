import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createTaskLimiter } from "../../src/client/task-limiter.ts";

it("the limiter never exceeds its limits in total and per host, and runs every task once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(3), fc.boolean()), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      async (jobs, atOnce, perHost) => {
        const { run } = createTaskLimiter(atOnce, perHost);
        const running: string[] = [];
        let most = 0;
        let mostPerHost = 0;
        const results = await Promise.allSettled(
          jobs.map(([host, turns, fails], index) =>
            run(host, async () => {
              running.push(host);
              most = Math.max(most, running.length);
              mostPerHost = Math.max(mostPerHost, running.filter((other) => other === host).length);
              for (let turn = 0; turn < turns; turn++) await Promise.resolve();
              running.splice(running.indexOf(host), 1);
              if (fails) throw new Error(String(index));
              return index;
            }),
          ),
        );
        expect(most).toBeLessThanOrEqual(atOnce);
        expect(mostPerHost).toBeLessThanOrEqual(perHost);
        expect(results.map(({ status }) => status === "rejected")).toEqual(jobs.map(([, , fails]) => fails));
      },
    ),
  );
});

it("the limiter starts waiting tasks in order, and skips tasks of a busy host", async () => {
  const { run } = createTaskLimiter(2, 1);
  const started: string[] = [];
  const gates = new Map<string, () => void>();
  const job = (host: string, name: string): Promise<void> =>
    run(host, () => {
      started.push(name);
      return new Promise((resolve) => gates.set(name, resolve));
    });
  const all = [job("a", "a1"), job("a", "a2"), job("b", "b1"), job("b", "b2")];
  expect(started).toEqual(["a1", "b1"]);
  gates.get("b1")?.();
  await all[2];
  await Promise.resolve();
  expect(started).toEqual(["a1", "b1", "b2"]);
  gates.get("a1")?.();
  await all[0];
  await Promise.resolve();
  expect(started).toEqual(["a1", "b1", "b2", "a2"]);
  gates.get("a2")?.();
  gates.get("b2")?.();
  await Promise.all(all);
});
