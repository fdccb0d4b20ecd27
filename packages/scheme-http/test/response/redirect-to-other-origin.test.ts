import { anyAddress, createClient } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { CookieJar } from "tough-cookie";
import { describe, expect, it } from "vitest";

/** Starts a server that answers each request, and records the lines of the requests. */
async function startRecordingServer(response: string): Promise<LoopbackServer & { lines: string[] }> {
  const lines: string[] = [];
  const server = await startScriptedServer(async (peer) => {
    let length = 0;
    for (let line = await peer.readLine(); line; line = await peer.readLine()) {
      lines.push(line);
      length = Number(/^content-length: (\d+)/.exec(line)?.[1] ?? length);
    }
    if (length > 0) lines.push(`body ${String(await peer.readBytes(length))}`);
    peer.send(`HTTP/1.1 ${response}\r\nConnection: close\r\n\r\n`);
  });
  return Object.assign(server, { lines });
}

const date = new Date("2026-01-01T00:00:00Z");
const free = { throwHttpErrors: false };

describe("another origin receives only a part of the request after a redirect", () => {
  it.each<[string, object, string | RegExp]>([
    ["range", { range: { start: 1, endExclusive: 3 } }, "range: bytes=1-2"],
    ["ifModifiedSince", { ifModifiedSince: date }, "if-modified-since: Thu, 01 Jan 2026 00:00:00 GMT"],
    ["the header range", { ...free, headers: { range: "bytes=1-2" } }, "range: bytes=1-2"],
    ["the header accept-language", { headers: { "accept-language": "de" } }, "accept-language: de"],
    ["the method and the body", { method: "POST", body: "a=1" }, "body a=1"],
  ])("another origin receives %s after a redirect", async (_, options, line) => {
    expect(await requestThroughRedirect(options)).toContain(line);
  });

  it.each<[string, object, RegExp]>([
    ["ifNoneMatch", { ifNoneMatch: '"tag-of-user"' }, /tag-of-user/],
    ["the header if-match", { ...free, headers: { "if-match": '"tag"' } }, /if-match/],
    ["the header if-range", { ...free, headers: { "if-range": '"tag"', range: "bytes=1-" } }, /if-range/],
    ["the header authorization", { headers: { authorization: "Bearer n33dle" } }, /n33dle/],
    ["the header cookie", { headers: { cookie: "a=n33dle" } }, /n33dle/],
    ["an unknown header", { headers: { "x-otp": "n33dle" } }, /n33dle/],
    [
      "preemptive credentials",
      { preemptive: true, credentials: () => ({ password: "n33dle" }) },
      /authorization/,
    ],
    ["cookies of another host", { cookies: createJar("http://other.example/") }, /n33dle/],
  ])("another origin does not receive %s after a redirect", async (_, options, secret) => {
    expect((await requestThroughRedirect(options)).join("\n")).not.toMatch(secret);
  });

  it("a cookie jar sends the cookies of a host to all its ports (RFC 6265 §8.5)", async () => {
    expect(await requestThroughRedirect({ cookies: createJar("http://127.0.0.1/") })).toContain(
      "cookie: a=n33dle",
    );
  });
});

function createJar(url: string): CookieJar {
  const jar = new CookieJar();
  jar.setCookieSync("a=n33dle", url);
  return jar;
}

/** Returns the lines that a second server receives after a redirect with status 307. */
async function requestThroughRedirect(options: object): Promise<readonly string[]> {
  await using target = await startRecordingServer("200 OK\r\nContent-Length: 0");
  const location = `Location: http://127.0.0.1:${target.port}/`;
  await using server = await startRecordingServer(`307 X\r\n${location}\r\nContent-Length: 0`);
  await using client = createClient({ schemes: [http()], policy: anyAddress() });
  await client.dereference(`http://127.0.0.1:${server.port}/`, options).catch(() => undefined);
  expect(server.lines.length).toBeGreaterThan(2);
  expect(target.lines.length).toBeGreaterThan(2);
  return target.lines;
}
