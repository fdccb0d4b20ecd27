import { anyAddress, createClient } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { ftp } from "@anyscheme/scheme-ftp";
import { startFtpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";

const BYTES = "GIF89a and so on";

async function countTransfers(
  urls: (port: number) => readonly string[],
  options: { cache?: "reload" | "no-store" } = {},
): Promise<{ bodies: string[]; transfers: number; traces: string[] }> {
  await using server = await startFtpTestServer({ files: { "a.gif": BYTES } });
  const traces: string[] = [];
  await using client = createClient({
    schemes: [ftp()],
    policy: anyAddress(),
    cache: memoryCache(),
    trace: ({ action, text }) => action === "cache" && traces.push(text),
  });
  const bodies: string[] = [];
  for (const url of urls(server.port)) bodies.push(await client.text(url as `ftp://${string}`, options));
  return { bodies, transfers: server.transcript.filter((line) => line.includes("RETR")).length, traces };
}

const twice = (port: number): string[] => Array<string>(2).fill(`ftp://127.0.0.1:${port}/a.gif`);

describe("the cache of FTP files", () => {
  it("a file with the same size and time is not transferred again", async () => {
    const { bodies, transfers, traces } = await countTransfers(twice);
    expect(bodies).toEqual([BYTES, BYTES]);
    expect(transfers).toBe(1);
    expect(traces).toEqual([
      "miss",
      `stored, ${BYTES.length} bytes`,
      "hit, size and time are those of the server",
    ]);
  });

  it.each(["reload", "no-store"] as const)("the mode %s transfers the file again", async (cache) => {
    expect(await countTransfers(twice, { cache })).toMatchObject({ bodies: [BYTES, BYTES], transfers: 2 });
  });

  it("another transfer type is not answered from the cache", async () => {
    const urls = (port: number): string[] =>
      ["i", "a"].map((type) => `ftp://127.0.0.1:${port}/a.gif;type=${type}`);
    expect(await countTransfers(urls)).toMatchObject({ transfers: 2 });
  });

  it("the plan of a client with a cache requests size and time", () => {
    const options = { schemes: [ftp()] };
    const commandsOf = (client: ReturnType<typeof createClient>): unknown[] =>
      client.plan("ftp://h.example/a.gif").steps.map(({ command }) => command);
    expect(commandsOf(createClient({ ...options, cache: memoryCache() }))).toContain("MDTM");
    expect(commandsOf(createClient(options))).not.toContain("MDTM");
  });
});
