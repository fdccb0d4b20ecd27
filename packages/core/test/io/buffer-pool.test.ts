import { describe, expect, it } from "vitest";
import { giveRoom, LARGE_ROOM_BYTES, ROOM_BYTES, takeLargeRoom, takeRoom } from "../../src/io/buffer-pool.ts";

describe("rooms", () => {
  it("are used again, the last one first", () => {
    const room = takeRoom();
    giveRoom(room);
    expect(takeRoom()).toBe(room);
  });

  it("are of one length, and nobody else's", () => {
    const [one, other] = [takeRoom(), takeRoom()];
    expect([one.length, other.length]).toEqual([ROOM_BYTES, ROOM_BYTES]);
    expect(one.buffer).not.toBe(other.buffer);
    expect(one.buffer.byteLength).toBe(ROOM_BYTES);
  });

  it("are not used again while somebody may read in them", () => {
    const room = takeRoom();
    giveRoom(room, true);
    expect(takeRoom()).not.toBe(room);
  });

  it("are kept in a number that is limited", () => {
    const given = Array.from({ length: 200 }, takeRoom);
    for (const room of given) giveRoom(room);
    const taken = Array.from({ length: 200 }, takeRoom);
    const again = taken.filter((room) => given.includes(room)).length;
    for (const room of taken) giveRoom(room);
    expect(again).toBe(64);
  });
});

describe("large rooms", () => {
  /** As many as there are. */
  function takeAll(): Uint8Array[] {
    const rooms: Uint8Array[] = [];
    for (let room = takeLargeRoom(); room; room = takeLargeRoom()) rooms.push(room);
    return rooms;
  }

  it("are few, and used again", () => {
    const first = takeAll();
    expect(first.map(({ length }) => length)).toEqual(Array.from({ length: 16 }, () => LARGE_ROOM_BYTES));
    for (const room of first) giveRoom(room);
    const second = takeAll();
    expect(new Set(second)).toEqual(new Set(first));
    for (const room of second) giveRoom(room);
  });

  it("that somebody may still read in make room for others", () => {
    const first = takeAll();
    for (const room of first) giveRoom(room, true);
    const second = takeAll();
    expect(second).toHaveLength(16);
    expect(second.filter((room) => first.includes(room))).toEqual([]);
    for (const room of second) giveRoom(room);
  });
});
