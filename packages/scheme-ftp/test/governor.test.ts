import { describe, expect, it } from "vitest";
import { Governor } from "../src/governor.ts";

const never = new AbortController().signal;
const nothing = { take: () => undefined, makeRoom: () => undefined, context: { signal: never } };

describe("a governor", () => {
  it("serves those who wait in the order of coming, and whoever was refused first", async () => {
    const governor = new Governor(1);
    const served: string[] = [];
    const ask = async (name: string, again = false): Promise<void> => {
      await governor.acquire({ ...nothing, again });
      served.push(name);
    };
    await ask("first");
    const others = [ask("second"), ask("third"), ask("refused", true)];
    for (const _ of others) {
      governor.closed(false);
      await new Promise(setImmediate);
    }
    await Promise.all(others);
    expect(served).toEqual(["first", "refused", "second", "third"]);
  });

  it("gives a connection that is free to the first who can use it, and to nobody who comes later", async () => {
    const governor = new Governor(1);
    await governor.acquire(nothing);
    let free: string | undefined;
    const take = (): string | undefined => {
      const found = free;
      free = undefined;
      return found;
    };
    const first = governor.acquire({ ...nothing, take });
    const second = governor.acquire({ ...nothing, take });
    free = "one";
    const late = governor.acquire({ ...nothing, take });
    governor.changed();
    expect(await first).toBe("one");
    free = "two";
    governor.changed();
    expect(await second).toBe("two");
    free = "three";
    governor.changed();
    expect(await late).toBe("three");
  });

  it("learns what the server grants, and that it grants more", async () => {
    const governor = new Governor(Infinity);
    for (let count = 0; count < 3; count++) await governor.acquire(nothing);
    governor.established();
    governor.established();
    expect(governor.refused()).toBe("wait");
    governor.closed(false);
    let served = 0;
    void Promise.resolve(governor.acquire(nothing)).then(() => served++);
    await new Promise(setImmediate);
    expect(served).toBe(0);
    governor.closed(true);
    await new Promise(setImmediate);
    expect(served).toBe(1);
  });

  it("does not wait where there is nothing to wait for", async () => {
    const governor = new Governor(Infinity);
    await governor.acquire(nothing);
    expect(governor.refused()).toBe("never");
  });

  it("lets nobody wait who has given up", async () => {
    const governor = new Governor(1);
    await governor.acquire(nothing);
    const controller = new AbortController();
    const waiting = governor.acquire({ ...nothing, context: controller });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    governor.closed(false);
    expect(governor.open).toBe(0);
  });

  it("gives what comes free to whoever is opening before those who wait", async () => {
    const governor = new Governor(1);
    await governor.acquire(nothing);
    const free = ["kept"];
    const take = (): string | undefined => free.shift();
    const waiting = governor.acquire({ ...nothing, take: () => undefined });
    const meanwhile = governor.meanwhile(take);
    governor.changed();
    expect(await meanwhile.found).toBe("kept");
    expect(meanwhile.stop()).toBe("kept");
    governor.closed(false);
    await waiting;
  });
});
