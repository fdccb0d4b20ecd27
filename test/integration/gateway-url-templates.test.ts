import { AccessError, anyAddress, createClient } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";

/** The template, the URL of a stranger, and the request target of the gateway, or the reason of the refusal. */
type Row = readonly [template: string, url: string, target: string | RegExp];

const ADVICE = "write {url} in place of {+url} in the URL template of the gateway";

/** Dereferences a URL through a gateway. Returns the request target that the gateway has received, and the error. */
async function requestThroughGateway(template: string, url: string) {
  const targets: string[] = [];
  await using server = await startScriptedServer(async (peer) => {
    targets.push((await peer.readLine())?.split(" ")[1] ?? "");
    while (await peer.readLine());
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  const urlTemplate = `http://127.0.0.1:${server.port}${template}`;
  await using client = createClient({
    schemes: [http()],
    policy: anyAddress(),
    gateways: { "x-foo": { urlTemplate, when: "unregistered" } },
  });
  const error: unknown = await client.text(url).then(
    () => undefined,
    (each: unknown) => each,
  );
  return { targets, error };
}

describe("a stranger's URL cannot change other parts of the gateway's URL", () => {
  it.each<Row>([
    ["/get/{+url}", "x-foo://h/a", "/get/x-foo://h/a"],
    ["/get/{+url}", "x-foo://h/a..b/...", "/get/x-foo://h/a..b/..."],
    ["/get/{+url}", "x-foo://h/a?b=/../c", "/get/x-foo://h/a?b=/../c"],
    ["/get/{+url}", "x-foo://h/a%2f..b%2f...;c%2e", "/get/x-foo://h/a%2f..b%2f...;c%2e"],
    ["/get/{+url}", "x-foo://h/.a;b/a.;/..a%3b/a%252e/%2526", "/get/x-foo://h/.a;b/a.;/..a%3b/a%252e/%2526"],
    ["/get/{+url}", "x-foo://h/a?b=/..;/..%2f..", "/get/x-foo://h/a?b=/..;/..%2f.."],
    ["/get?u={+url}", "x-foo://h/..%2f..%2fadmin", "/get?u=x-foo://h/..%2f..%2fadmin"],
    ["/get/{url}", "x-foo://h/..;/..%2fa", "/get/x-foo%3A%2F%2Fh%2F..%3B%2F..%252fa"],
    ["?{+url}", "x-foo://h/a?b&c=../..", "/?x-foo://h/a?b&c=../.."],
    ["?{+url}", "x-foo://h/a@evil.example/", "/?x-foo://h/a@evil.example/"],
    ["/get?u={+url}", "x-foo://h/../a?b=c", "/get?u=x-foo://h/../a?b=c"],
    ["/get?u={url}&v=1", "x-foo://h/../../a&b=c?d", "/get?u=x-foo%3A%2F%2Fh%2F..%2F..%2Fa%26b%3Dc%3Fd&v=1"],
    ["/get/{url}", "x-foo://h/../../../admin", "/get/x-foo%3A%2F%2Fh%2F..%2F..%2F..%2Fadmin"],
    ["/get/{+url}", "x-foo://h/../../../../admin?x=1", /dot segment/],
    ["/get/{+url}", "x-foo:/../../admin", /dot segment/],
    ["/get/{+url}", "x-foo://h/%2e%2e/%2E./.%2e/admin", /dot segment/],
    ["/get/{+url}", "x-foo://h/1/..;/..;/..;/admin", /dot segment/],
    ["/get/{+url}", "x-foo://h/1/.%2e;/x", /dot segment/],
    ["/get/{+url}", "x-foo://h/1/..;x=y/admin", /dot segment/],
    ["/get/{+url}", "x-foo://h/1/..;", /dot segment/],
    ["/get/{+url}", "x-foo://h/1/.;/x", /dot segment/],
    ["/get/{+url}", "x-foo://h/1/..%3bx/admin", /dot segment/],
    ["/get/{+url}", "x-foo://h/..%2f..%2fadmin", /dot segment/],
    ["/get/{+url}", "x-foo://h/a%2F..", /dot segment/],
    ["/get/{+url}", "x-foo://h/a%5C%2E%2e%5cadmin", /dot segment/],
    ["/get/{+url}", "x-foo://h/a/..%5cadmin", /dot segment/],
    ["/get/{+url}", "x-foo://h/%252e%252e/admin", /dot segment/],
    ["/get/{+url}", "x-foo://h/a%252f..%252Fadmin", /dot segment/],
    ["/get/{+url}", "x-foo://h/a%25252f%25252e.%25252fadmin", /dot segment/],
    ["/get/{+url}", "x-foo://h/a/..", /dot segment/],
    ["/get/{+url}", "x-foo://h/a/./b", /dot segment/],
    ["/get/{+url}", "x-foo://h/a/..?b", /dot segment/],
    ["/get/{+url}/raw?key=1", "x-foo://h/a?key=2", /"\?"/],
    ["/get/{+url}?key=1", "x-foo://h/a?key=2", /"\?"/],
    ["/get?u={+url}", "x-foo://h/a&admin=1", /"&"/],
    ["/get?u={+url}", "x-foo://h/a;admin=1", /";"/],
    ["/get?{+url}&key=1", "x-foo://h/a&key=2", /"&"/],
    ["/get/{+url}", "x-foo://u:n33dle@h/a", /login/],
    ["/get/{+url}", "x-foo:u:n33dle@h", /login/],
  ])(
    "the request target, or the reason for the refusal, for the template %s and the URL %s: %s",
    async (template, url, expected) => {
      const { targets, error } = await requestThroughGateway(template, url);
      if (typeof expected === "string") {
        expect({ targets, error }).toEqual({ targets: [expected], error: undefined });
        return;
      }
      expect(targets).toEqual([]);
      expect(error).toBeInstanceOf(AccessError);
      expect(error).toMatchObject({
        code: "refused-redirect",
        reason: expect.stringMatching(expected) as unknown,
      });
      expect(String(error)).not.toContain("n33dle");
      if (!String(expected).includes("login")) expect(error).toMatchObject({ advice: ADVICE });
    },
  );

  it.each([
    ["in the host", "http://gw.example{+url}"],
    ["in the host", "http://{url}.gw.example/"],
    ["in the port", "http://gw.example:{+url}/"],
    ["before the host", "{+url}//gw.example/"],
    ["in the login", "http://{url}@gw.example/"],
    ["in the fragment", "http://gw.example/#{url}"],
  ])("createClient refuses a template with the placeholder %s: %s", (_, urlTemplate) => {
    expect(() => createClient({ schemes: [http()], gateways: { "x-foo": urlTemplate } })).toThrow(TypeError);
  });

  it.each(["x-foo://h\\@evil.example/", "x-foo://h/a#/../b", "x-foo://h/a b"])(
    "the gateway receives no character of %s that another parser would read as a delimiter",
    async (url) => {
      const { targets } = await requestThroughGateway("/get/{+url}", url);
      expect(targets.join("")).not.toMatch(/[\\# ]/);
    },
  );
});

it("the plan of a request through a gateway has the bytes that the gateway receives", async () => {
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
  });
  await using client = createClient({
    schemes: [http()],
    policy: anyAddress(),
    gateways: { "x-foo": `http://127.0.0.1:${server.port}/get?{url}` },
  });
  const url = "x-foo://h/a";
  const options = {
    range: { start: 1, endExclusive: 3 },
    ifModifiedSince: new Date(Date.UTC(2026, 0, 1)),
    headers: { "x-of-the-server": "1" },
  };
  const sent = client.plan(url, options).steps.find(({ action }) => action === "send")?.bytes;
  await (await client.dereference(url, options)).close();
  expect(Buffer.from(sent ?? []).toString()).toMatch(/^Range: bytes=1-2\r$/im);
  expect(server.connections[0]?.received.toString()).toBe(Buffer.from(sent ?? []).toString());
});
