import { startFtpTestServer, type TestServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let server: TestServer;
let testGateway: TestGateway;

beforeAll(async () => {
  server = await startFtpTestServer({ files: { "pub/sub/readme.txt": "text" } });
  testGateway = await startTestGateway([server.port]);
});
afterAll(async () => {
  await testGateway[Symbol.asyncDispose]();
  await server.stop();
});

/** Requests a page. Returns the response, and the commands that open a file or a directory. */
async function requestPath(
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string; readonly commands: readonly string[] }> {
  const before = server.receivedLines.length;
  const { status, text } = await testGateway.request(target, { headers });
  const lines = server.receivedLines.slice(before);
  return { status, text, commands: lines.filter((line) => /^(?:RETR|MLSD|CWD (?:pub|none))\b/.test(line)) };
}

describe("the gateway opens an FTP directory whose URL has no final slash", () => {
  it.each([
    ["/ftp/HOST/pub", "pub/"],
    ["/ftp/HOST/pub/sub", "pub/sub/"],
    ["/~size/ftp/HOST/pub", "pub/"],
  ])("the page %s shows the directory %s", async (path, directory) => {
    const host = `127.0.0.1:${server.port}`;
    const { status, text } = await requestPath(path.replace("HOST", host));
    expect(status).toBe(200);
    expect(text).toContain("<table>");
    expect(text).toContain(`value="ftp://${host}/${directory}"`);
    expect(text).toContain(`<a href="/~name/ftp/${host}/${directory}">Name</a>`);
  });

  it("a browser that uses the gateway as a proxy sees the directory", async () => {
    const url = `ftp://127.0.0.1:${server.port}/pub`;
    const { status, text } = await requestPath(url, { host: new URL(url).host });
    expect([status, text.includes(`<a href="${url}/sub/">sub</a>`)]).toEqual([200, true]);
  });

  it("the error page for a missing name has the reply to RETR, and the trace of both attempts", async () => {
    const { status, text } = await requestPath(`/ftp/127.0.0.1:${server.port}/none`);
    expect(status).toBe(404);
    expect(text).toContain('role="alert">the server answered RETR none with: 550');
    expect(text).toMatch(/<code>RETR none<\/code>[^]*<code>CWD none<\/code>/);
  });

  it.each([
    ["the raw view", "/~raw/ftp/HOST/pub", "RETR pub"],
    ["a download", "/~download/ftp/HOST/pub", "RETR pub"],
    ["a URL with a type", "/ftp/HOST/pub;type=i", "RETR pub"],
    ["a URL with a final slash", "/ftp/HOST/none/", "CWD none"],
  ])("the gateway makes one attempt for %s", async (_, path, command) => {
    const { status, commands } = await requestPath(path.replace("HOST", `127.0.0.1:${server.port}`));
    expect([status, commands]).toEqual([404, [command]]);
  });
});
