import { array, assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { Chain, type Link } from "../../src/chain.ts";

describe("a chain", () => {
  it("holds what was added and not removed, in order", () => {
    assert(
      property(array(nat({ max: 20 })), (steps) => {
        const chain = new Chain<number>();
        const links: Link<number>[] = [];
        for (const [index, step] of steps.entries()) {
          // Every third step removes, wherever it points to.
          const [taken] = index % 3 === 2 ? links.splice(step % Math.max(1, links.length), 1) : [];
          if (taken) chain.remove(taken);
          else links.push(chain.add(step));
        }
        expect(chain.values()).toEqual(links.map(({ value }) => value));
        expect([chain.size, chain.first]).toEqual([links.length, links[0]?.value]);
      }),
    );
  });

  it("leads nowhere from what was removed", () => {
    const chain = new Chain<string>();
    const [, link] = ["a", "b", "c"].map((value) => chain.add(value));
    if (link) chain.remove(link);
    expect(link).toEqual({ value: "b", previous: undefined, next: undefined });
    expect(chain.values()).toEqual(["a", "c"]);
  });
});
