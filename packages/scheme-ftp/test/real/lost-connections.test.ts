import { type RunningFtpServer, killServerSessions } from "@anyscheme/servers";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createClientForServer,
  readContentOrListingAsText,
  describeOnEachServer,
  dereferenceToTextOrErrorCode,
  createServerUrl,
} from "./describe-on-servers.ts";

const bigFileContent = Buffer.alloc(24_000_000, "0123456789abcdef");
const servedFiles = {
  "big.bin": bigFileContent,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`many/${index}.bin`, `content ${index}`])),
};

describeOnEachServer("concurrent requests share two connections", ["anonymous"], (row) => {
  it("the client performs twelve simultaneous requests on a server that accepts two connections", async () => {
    await using server = await row.start({ files: servedFiles, maxConnections: 2 });
    await using client = createClientForServer(server);
    const reading = Array.from({ length: 12 }, (_, index) => {
      return dereferenceToTextOrErrorCode(client, createServerUrl(server, `/many/${index}.bin`));
    });
    expect(await Promise.all(reading)).toEqual(Array.from({ length: 12 }, (_, index) => `content ${index}`));
  });
});

describeOnEachServer("the client recovers from a lost connection", ["anonymous"], (row) => {
  let server: RunningFtpServer;
  beforeAll(async () => {
    server = await row.start({ files: servedFiles });
  });
  afterAll(() => server.stop());

  it("the client resumes a body after the connection was lost", async () => {
    await using client = createClientForServer(server);
    const resource = await client.dereference(createServerUrl(server, "/big.bin"), {
      resume: { backoffMs: 1 },
    });
    if (resource.kind !== "content") throw new TypeError(resource.kind);
    const chunks: Uint8Array[] = [];
    let killed = 0;
    for await (const chunk of resource) {
      chunks.push(chunk);
      if (chunks.length === 3) killed = killServerSessions(server);
    }
    expect(killed).toBeGreaterThan(0);
    expect(Buffer.concat(chunks).equals(bigFileContent)).toBe(true);
    expect(await resource.completeness).toBe("verified");
  });

  it("the client reports a lost connection during a body without the option resume", async () => {
    await using client = createClientForServer(server);
    const resource = await client.dereference(createServerUrl(server, "/big.bin"));
    if (resource.kind !== "content") throw new TypeError(resource.kind);
    const reading = (async () => {
      let count = 0;
      for await (const _ of resource) if (++count === 3) killServerSessions(server);
    })();
    await expect(reading).rejects.toMatchObject({ code: "incomplete" });
  });

  it("the client replaces an idle connection that was lost", async () => {
    await using client = createClientForServer(server);
    const url = createServerUrl(server, "/many/1.bin");
    expect(await dereferenceToTextOrErrorCode(client, url)).toBe("content 1");
    killServerSessions(server);
    expect(await readContentOrListingAsText(await client.dereference(url))).toBe("content 1");
  });
});
