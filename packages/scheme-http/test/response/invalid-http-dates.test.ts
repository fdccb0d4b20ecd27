import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createSingleResponseScript,
  createServerUrl,
  testClient,
  getRejectedError,
  getWithSharedTestClient,
} from "../test-client.ts";

describe("the client ignores or refuses invalid dates in http headers", () => {
  const impossible = "Sun, 31 Feb 2024 00:00:00 GMT";

  it("a resource with an invalid Last-Modified date has no modified date", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript(
        `HTTP/1.1 200 OK\r\nLast-Modified: ${impossible}\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    expect((await getWithSharedTestClient(createServerUrl(server))).modified).toBeUndefined();
    expect((await testClient.stat(createServerUrl(server))).modified).toBeUndefined();
  });

  it("the error of a response with an invalid Retry-After date has no property retryAfterMs", async () => {
    await using server = await startScriptedServer(
      createSingleResponseScript(
        `HTTP/1.1 503 Busy\r\nRetry-After: ${impossible}\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    expect(
      (await getRejectedError(getWithSharedTestClient(createServerUrl(server)))).retryAfterMs,
    ).toBeUndefined();
  });

  it.each([
    ["a year with five digits", new Date(Date.UTC(10_000, 0, 1))],
    ["a year before the year 1", new Date(Date.UTC(-1, 0, 1))],
  ])("ifModifiedSince with %s is refused", (_, ifModifiedSince) => {
    expect(() => testClient.plan("http://h.example/", { ifModifiedSince })).toThrow(
      expect.objectContaining({
        code: "refused-characters",
        reason: "ifModifiedSince cannot be written as an HTTP date",
      }) as Error,
    );
  });
});
