import { expect, it } from "vitest";
import { atTurnEnd } from "../../src/network/turn.ts";

it("what waits for the end of a turn is done in one go, in order, and what comes then waits for the next", async () => {
  const done: string[] = [];
  atTurnEnd(() => {
    done.push("one");
    atTurnEnd(() => done.push("three"));
  });
  atTurnEnd(() => done.push("two"));
  await Promise.resolve();
  expect(done).toEqual([]);
  await new Promise(setImmediate);
  expect(done).toEqual(["one", "two"]);
  await new Promise(setImmediate);
  expect(done).toEqual(["one", "two", "three"]);
});
