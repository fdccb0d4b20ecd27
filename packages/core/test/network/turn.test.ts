import { afterEach, expect, it, vi } from "vitest";
import { accessBegins, accessEnds, atTurnEnd, isAlone } from "../../src/network/turn.ts";

// The count of accesses under way begins anew: tests before these may have left some.
vi.hoisted(() => vi.resetModules());

let begun = 0;
afterEach(() => {
  for (; begun > 0; begun--) accessEnds();
});

function begin(count: number): void {
  for (begun = 0; begun < count; begun++) accessBegins();
}

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

it.each([
  [0, true],
  [1, true],
  [2, false],
  [3, false],
])("with %i accesses under way there is nobody to wait for: %s", (accesses, alone) => {
  begin(accesses);
  expect(isAlone()).toBe(alone);
});

it("an access that is over is waited for no longer", () => {
  begin(2);
  accessEnds();
  begun--;
  expect(isAlone()).toBe(true);
});
