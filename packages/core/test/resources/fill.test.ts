import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ContentResource, createClient, type Limits, type Scheme } from "../../src/index.ts";
import type { ByteSource } from "../../src/plugin.ts";
import { step, makePlan } from "../../src/scheme/plan.ts";
import { genericSyntax, type GenericUrl } from "../../src/syntax/index.ts";

/** A source that fills buffers with the text, at most so many bytes at a time. */
function filling(text: string, most: number, failure?: Error): ByteSource & { rooms: number[] } {
  let at = 0;
  const rooms: number[] = [];
  return {
    rooms,
    read: () => expect.unreachable("it fills buffers"),
    async readInto(room) {
      rooms.push(room.length);
      await Promise.resolve();
      const piece = Buffer.from(text.slice(at, at + Math.min(most, room.length)));
      room.set(piece);
      at += piece.length;
      if (piece.length === 0 && failure) throw failure;
      return piece.length;
    },
    cancel: () => undefined,
  };
}

async function contentOf(
  source: ByteSource,
  limits: Partial<Limits> = {},
  size?: number,
): Promise<ContentResource> {
  const scheme: Scheme<GenericUrl<"x">, ContentResource> = {
    name: "x",
    syntax: genericSyntax({ schemes: ["x"] }),
    plan: (url) => makePlan(url, [step("transfer", "2", "a text")]),
    access: (_, context) => Promise.resolve(context.createContent({ source, size })),
  };
  return createClient({ schemes: [scheme], limits }).dereference("x:y");
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "anyscheme-fill-"));
});
afterAll(() => rm(folder, { recursive: true }));

const TEXT = "0123456789".repeat(50);

describe("a source that fills buffers", () => {
  it("fills the reader's own, and nothing else", async () => {
    const source = filling(TEXT, 7);
    const content = await contentOf(source);
    const reader = content.body.getReader({ mode: "byob" });
    let text = "";
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(5));
      if (done) break;
      text += Buffer.from(value).toString();
    }
    expect(text).toBe(TEXT);
    expect(new Set(source.rooms)).toEqual(new Set([5]));
    expect(await content.completeness).toBe("verified");
  });

  it.each([undefined, TEXT.length])("fills others for who brings none (of a size of %s)", async (size) => {
    const source = filling(TEXT, 300);
    const pieces: Uint8Array[] = [];
    for await (const piece of await contentOf(source, {}, size)) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(TEXT);
    expect(pieces.map((piece) => piece.length)).toEqual([300, 200]);
    // No more than is still to come.
    if (size !== undefined) expect(source.rooms).toEqual([500, 200, 1]);
  });

  it("is saved, and counted", async () => {
    const path = join(folder, "saved");
    expect(await (await contentOf(filling(TEXT, 300))).saveTo(path)).toBe(TEXT.length);
    expect(await readFile(path, "utf8")).toBe(TEXT);
  });

  it("that fails leaves nothing behind, and a reader with what came before", async () => {
    const lost = (): ByteSource => filling(TEXT, 300, new Error("the disk is gone"));
    await expect((await contentOf(lost())).saveTo(join(folder, "lost"))).rejects.toThrow("the disk is gone");
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining("lost"));
    const reader = (await contentOf(lost())).body.getReader();
    let count = 0;
    const reading = (async () => {
      for (;;) count += (await reader.read()).value?.length ?? 0;
    })();
    await expect(reading).rejects.toThrow("the disk is gone");
    expect(count).toBe(TEXT.length);
  });

  it.each([499, 500])("is bounded by maxStreamBytes: %i", async (maxStreamBytes) => {
    const saving = (await contentOf(filling(TEXT, 100), { maxStreamBytes })).saveTo(join(folder, "bounded"));
    if (maxStreamBytes === 500) expect(await saving).toBe(500);
    else await expect(saving).rejects.toMatchObject({ code: "limit", limit: "maxStreamBytes" });
  });

  it("may be given up while it fills the reader's buffer", async () => {
    let finish = (): void => undefined;
    const source: ByteSource = {
      read: () => expect.unreachable("it fills buffers"),
      readInto: () =>
        new Promise((resolve) => {
          finish = (): void => resolve(3);
        }),
      cancel: () => undefined,
    };
    const content = await contentOf(source);
    const reader = content.body.getReader({ mode: "byob" });
    const reading = reader.read(new Uint8Array(10));
    await content.close();
    finish();
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
  });
});
