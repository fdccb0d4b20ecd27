import { afterEach, expect, it } from "vitest";
import { accessBegins, accessEnds, atTurnEnd, withOthers } from "../../src/guard/turn.ts";

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
  [0, "at once", ["now"]],
  [1, "at once", ["now"]],
  [2, "at the end of the turn", []],
  [3, "at the end of the turn", []],
])("with %i accesses under way, what is done with others is done %s", async (accesses, _, atOnce) => {
  begin(accesses);
  const done: string[] = [];
  withOthers(() => done.push("now"));
  expect(done).toEqual(atOnce);
  await new Promise(setImmediate);
  expect(done).toEqual(["now"]);
});

it("an access that is over is waited for no longer", () => {
  begin(2);
  accessEnds();
  begun--;
  let done = false;
  withOthers(() => (done = true));
  expect(done).toBe(true);
});
