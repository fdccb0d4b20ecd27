import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError, createClient, publicInternet } from "@anyscheme/core";
import { file, mailto } from "@anyscheme/scheme-others";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { percentEscape } from "./url-components.ts";

const BYTES = Array.from({ length: 256 }, (_, byte) => byte);
const around = (text: string): string => `${text}a${text}z${text}`;

/** Returns the result or the error code. Fails after a DNS lookup. */
async function outcomeOf<T>(work: Promise<T>): Promise<T | string> {
  return work.catch((error: unknown) => {
    if (error instanceof AccessError) return error.code;
    throw error;
  });
}

describe("file", () => {
  let parent: string;
  let root: string;
  /** Returns the bytes of a path below the root. */
  const pathOf = (byte: number): Buffer =>
    Buffer.concat([Buffer.from(`${root}/`), Buffer.from(around(String.fromCharCode(byte)), "latin1")]);

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "anyscheme-"));
    root = join(parent, "root");
    await mkdir(root);
    for (const byte of BYTES) if (byte !== 0 && byte !== 0x2f) await writeFile(pathOf(byte), String(byte));
  });
  afterAll(() => rm(parent, { recursive: true }));

  // Other systems allow only UTF-8 in file names.
  it.skipIf(process.platform !== "linux")(
    "every byte in a segment is part of its name, or refused",
    async () => {
      await using client = createClient({ schemes: [file({ root })] });
      for (const byte of BYTES) {
        const given = await outcomeOf(client.dereference(`file:///${around(percentEscape(byte))}`));
        const outcome = typeof given === "string" || given.kind !== "content" ? given : await given.text();
        expect(outcome, percentEscape(byte)).toBe(
          byte === 0 || byte === 0x2f ? "refused-characters" : String(byte),
        );
      }
    },
  );

  it.each(["..", ".", "%2E%2E", "%2e.", ".%2E", "%2E", "..%2Froot", "%2Fetc%2Fpasswd", "a%00", "..%00"])(
    "a file URL with the segment %j stays below the root directory",
    async (segment) => {
      await writeFile(join(parent, "outside"), "outside");
      await using client = createClient({ schemes: [file({ root })] });
      for (const url of [`file:///${segment}/outside`, `file:///x/${segment}/${segment}/outside`])
        expect(await outcomeOf(client.dereference(url)), url).toBe("refused-characters");
    },
  );
});

describe("mailto", () => {
  it("every byte of a mailto URL is part of the address unchanged, or is refused, without a DNS lookup", async () => {
    const asked: string[] = [];
    await using client = createClient({
      schemes: [mailto()],
      policy: publicInternet(),
      resolver: (name) => (asked.push(name), Promise.resolve([])),
    });
    const given: string[] = [];
    for (const byte of BYTES) {
      const text = around(percentEscape(byte));
      for (const url of [`mailto:${text}@h.example`, `mailto:a@${text}`]) {
        const outcome = await outcomeOf(client.dereference(url));
        if (typeof outcome === "string") expect(outcome, url).toBe("refused-characters");
        else if (outcome.kind === "mailbox") {
          given.push(String.fromCharCode(byte));
          expect(outcome.address).toBe(decodeURIComponent(url.slice("mailto:".length)));
        }
      }
    }
    expect(asked).toEqual([]);
    // An atom has no specials, spaces or control bytes. RFC 822 §3.3.
    expect([...new Set(given)].join("")).toBe(
      "!#$%&'*+-/0123456789=?ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz{|}~",
    );
  });
});
