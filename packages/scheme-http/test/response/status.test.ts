import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  testClient,
  getRejectedError,
  getWithSharedTestClient,
  type HttpGetOptions,
} from "../test-client.ts";

const formatHttpResponse = (status: string, fields = "", content = "the text of the error page"): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${content.length}\r\n\r\n${content}`;

describe("the option throwHttpErrors: false returns error responses as content", () => {
  it.each([400, 401, 403, 404, 407, 410, 416, 418, 429, 500, 503, 599])(
    "throwHttpErrors: false returns a response with status %d as content",
    async (status) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(formatHttpResponse(`${status} No`, "Content-Type: text/plain\r\n")),
      );
      const resource = await getWithSharedTestClient(createServerUrl(server), { throwHttpErrors: false });
      expect(resource).toMatchObject({
        kind: "content",
        mediaType: "text/plain",
        httpResponse: { status, reason: "No" },
      });
      expect(await resource.text()).toBe("the text of the error page");
    },
  );

  it.each([
    [304, "protocol"],
    [305, "unsupported"],
    [206, "protocol"],
    [302, "protocol"],
  ])(
    "a response with status %d and without a Location is returned with throwHttpErrors: false, and throws %s by default",
    async (status, code) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(formatHttpResponse(`${status} Odd`, "", "")),
      );
      const url = createServerUrl(server);
      await using resource = await getWithSharedTestClient(url, { throwHttpErrors: false });
      expect(resource.httpResponse.status).toBe(status);
      expect(await getRejectedError(getWithSharedTestClient(url))).toMatchObject({ code });
    },
  );

  it("throwHttpErrors: false follows redirects, and returns the last response", async () => {
    await using server = await startScriptedServer(async (peer) => {
      const line = (await peer.readLine()) ?? "";
      peer.send(
        line.includes(" / ")
          ? formatHttpResponse("302 Found", "Location: /gone\r\n", "")
          : formatHttpResponse("410 Gone"),
      );
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), { throwHttpErrors: false });
    expect([resource.httpResponse.status, resource.redirectChain.length]).toEqual([410, 1]);
    await resource.close();
  });
});

describe("the option redirect decides whether the client follows an http redirect", () => {
  const moved = formatHttpResponse("302 Found", "Location: /there\r\n");

  it('redirect: "manual" returns the response with status 302', async () => {
    await using server = await startScriptedServer(createSingleResponseScript(moved));
    const resource = await getWithSharedTestClient(createServerUrl(server), { redirect: "manual" });
    expect(resource.httpResponse.headers["location"]).toEqual(["/there"]);
    expect(await resource.text()).toBe("the text of the error page");
  });

  it('redirect: "error" throws refused-redirect', async () => {
    await using server = await startScriptedServer(createSingleResponseScript(moved));
    expect(
      await getRejectedError(getWithSharedTestClient(createServerUrl(server), { redirect: "error" })),
    ).toMatchObject({
      code: "refused-redirect",
    });
    expect(server.connections).toHaveLength(1);
  });
});

describe("the errors of http statuses contain advice", () => {
  const basic = 'WWW-Authenticate: Basic realm="the vault"\r\n';
  const date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

  it.each<[status: string, fields: string, advice: string | undefined]>([
    ["401 No", basic, 'a login for the realm "the vault" is required: pass the option `credentials`'],
    [
      "401 No",
      "WWW-Authenticate: Bearer realm=x, Negotiate\r\n",
      'the server requires bearer, negotiate for the realm "x"; `credentials` supports basic and digest, `headers` may contain an authorization',
    ],
    [
      "401 No",
      "",
      "the 401 response names no authentication scheme; `credentials` supports basic and digest, `headers` may contain an authorization",
    ],
    ["403 No", "", undefined],
    ["404 No", "", undefined],
    ["405 No", "Allow: GET, HEAD\r\n", "the server allows GET, HEAD"],
    ["405 No", "Allow: \r\n", "the server allows nothing"],
    ["405 No", "", undefined],
    ["407 No", "", "a proxy requires a login, and the client sends no login to proxies"],
    ["408 Late", "", "try again later"],
    ["413 Large", "", "the server does not accept content of that size"],
    ["415 What", "", "the server does not accept this media type: set the option `mediaType` of put"],
    ["425 Early", "", "try again later"],
    ["426 Old", "Upgrade: HTTP/2.0\r\n", "the server requires HTTP/2.0"],
    ["429 Slow", "", "try again later, with fewer requests"],
    ["429 Slow", "Retry-After: 7\r\n", "try again in 7 s, with fewer requests"],
    ["500 Broken", "", "try again later"],
    ["501 Never", "", undefined],
    ["503 Busy", "", "try again later"],
    ["503 Busy", "Retry-After: 120\r\n", "try again in 120 s"],
    ["503 Busy", `${date}Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n`, "try again in 30 s"],
    ["503 Busy", "Retry-After: Sun, 31 Feb 2094 08:50:07 GMT\r\n", "try again later"],
  ])("the error of status %s with the headers %j has the advice %j", async (status, fields, advice) => {
    await using server = await startScriptedServer(
      createSingleResponseScript(formatHttpResponse(status, fields)),
    );
    expect((await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).advice).toBe(advice);
    expect((await getRejectedError(testClient.delete(createServerUrl(server)))).advice).toBe(advice);
  });

  it.each<[string, HttpGetOptions]>([
    ["credentials", { credentials: () => ({ user: "bob", password: "n33dle" }) }],
    ["headers", { headers: { authorization: "Basic Ym9iOm4zM2RsZQ==" } }],
  ])("the advice after a login with %s states that the server refused the login", async (_, options) => {
    const echoing = 'WWW-Authenticate: Basic realm="n33dle"\r\n';
    await using server = await startScriptedServer(
      createSingleResponseScript(formatHttpResponse("401 No", echoing)),
    );
    const failure = await getRejectedError(getWithSharedTestClient(createServerUrl(server), options));
    expect(failure.advice).toMatch(/^the server refused the login for the realm "/);
    expect(failure.message).not.toContain("n33dle");
  });
});

describe("the errors of http statuses have a property retryAfterMs", () => {
  const date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  it.each([
    ["503 Busy", "Retry-After: 120\r\n", 120_000],
    ["429 Slow", "Retry-After: 0\r\n", 0],
    ["500 Broken", "", undefined],
    ["503 Busy", `${date}Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n`, 30_000],
    ["503 Busy", `${date}Retry-After: Sun, 06 Nov 1994 08:00:00 GMT\r\n`, 0],
    ["503 Busy", "Retry-After: soon\r\n", undefined],
    ["503 Busy", "Retry-After: -1\r\n", undefined],
    ["503 Busy", `Retry-After: ${"9".repeat(400)}\r\n`, 31_536_000_000],
    ["404 Gone", "Retry-After: 120\r\n", undefined],
  ])(
    "the error of status %s with the headers %j has the property retryAfterMs with the value %s",
    async (status, fields, expected) => {
      await using server = await startScriptedServer(
        createSingleResponseScript(formatHttpResponse(status, fields)),
      );
      expect((await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).retryAfterMs).toBe(
        expected,
      );
    },
  );
});
