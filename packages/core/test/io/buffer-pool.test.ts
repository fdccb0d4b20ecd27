import { describe, expect, it } from "vitest";
import { giveRoom, ROOM_BYTES, takeRoom } from "../../src/io/buffer-pool.ts";

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

  it("are kept in a number that is limited", () => {
    const given = Array.from({ length: 200 }, takeRoom);
    for (const room of given) giveRoom(room);
    const taken = Array.from({ length: 200 }, takeRoom);
    const again = taken.filter((room) => given.includes(room)).length;
    for (const room of taken) giveRoom(room);
    expect(again).toBe(64);
  });
});
