import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError, createClient, publicInternet } from "@anyscheme/core";
import { file, mailto } from "@anyscheme/scheme-others";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { percentEncode } from "./url-injection-cases.ts";

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);
const insertThreeTimes = (text: string): string => `${text}a${text}z${text}`;

/** Returns the result of a request, or the code of its `AccessError`. */
async function resultOrErrorCode<T>(request: Promise<T>): Promise<T | string> {
  return request.catch((error: unknown) => {
    if (error instanceof AccessError) return error.code;
    throw error;
  });
}

describe("the client keeps every byte of a file URL, or refuses the URL", () => {
  let parent: string;
  let root: string;
  /** Returns a path below the root directory whose name contains the byte three times. */
  const pathOf = (byte: number): Buffer =>
    Buffer.concat([
      Buffer.from(`${root}/`),
      Buffer.from(insertThreeTimes(String.fromCharCode(byte)), "latin1"),
    ]);

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "anyscheme-"));
    root = join(parent, "root");
    await mkdir(root);
    for (const byte of ALL_BYTES)
      if (byte !== 0 && byte !== 0x2f) await writeFile(pathOf(byte), String(byte));
  });
  afterAll(() => rm(parent, { recursive: true }));

  // Linux allows every byte in file names. Systems other than Linux allow only valid Unicode in file names.
  it.skipIf(process.platform !== "linux")(
    "every byte in a segment of a file URL is part of the file name, or the client refuses the URL",
    async () => {
      await using client = createClient({ schemes: [file({ root })] });
      for (const byte of ALL_BYTES) {
        const result = await resultOrErrorCode(
          client.dereference(`file:///${insertThreeTimes(percentEncode(byte))}`),
        );
        const outcome =
          typeof result === "string" || result.kind !== "content" ? result : await result.text();
        expect(outcome, percentEncode(byte)).toBe(
          byte === 0 || byte === 0x2f ? "refused-characters" : String(byte),
        );
      }
    },
  );

  it.each([
    // Modern mode removes dot segments, which do not lead above the root directory (RFC 3986 §5.2.4).
    ...["..", ".", "%2E%2E", "%2e.", ".%2E", "%2E"].map((segment) => [segment, "not-found"] as const),
    ...["..%2Froot", "%2Fetc%2Fpasswd", "a%00", "..%00"].map(
      (segment) => [segment, "refused-characters"] as const,
    ),
  ])(
    "a file URL with the segment %j does not leave the root directory, and fails with the code %s",
    async (segment, expected) => {
      await writeFile(join(parent, "outside"), "outside");
      await using client = createClient({ schemes: [file({ root })] });
      for (const url of [`file:///${segment}/outside`, `file:///x/${segment}/${segment}/outside`])
        expect(await resultOrErrorCode(client.dereference(url)), url).toBe(expected);
    },
  );
});

describe("the bytes of a mailto URL", () => {
  it("every byte of a mailto URL is part of the address, or the client refuses the URL; no name is looked up", async () => {
    const lookedUpNames: string[] = [];
    await using client = createClient({
      schemes: [mailto()],
      policy: publicInternet(),
      resolver: (name) => (lookedUpNames.push(name), Promise.resolve([])),
    });
    const acceptedCharacters: string[] = [];
    for (const byte of ALL_BYTES) {
      const text = insertThreeTimes(percentEncode(byte));
      for (const url of [`mailto:${text}@h.example`, `mailto:a@${text}`]) {
        const outcome = await resultOrErrorCode(client.dereference(url));
        if (typeof outcome === "string") expect(outcome, url).toBe("refused-characters");
        else if (outcome.kind === "mailbox") {
          acceptedCharacters.push(String.fromCharCode(byte));
          expect(outcome.address).toBe(decodeURIComponent(url.slice("mailto:".length)));
        }
      }
    }
    expect(lookedUpNames).toEqual([]);
    // RFC 822 §3.3: an atom contains no special characters, spaces or control characters.
    expect([...new Set(acceptedCharacters)].join("")).toBe(
      "!#$%&'*+-/0123456789=?ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz{|}~",
    );
  });
});
