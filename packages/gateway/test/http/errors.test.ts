import { AccessError, type AccessErrorCode, createClient, type Scheme } from "@anyscheme/core";
import { createGenericSyntax, UrlSyntaxError } from "@anyscheme/core/syntax";
import { gopher } from "@anyscheme/scheme-gopher";
import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/index.ts";
import { getPageTextForError, GatewayHttpError, getHttpStatusForError } from "../../src/http/errors.ts";
import { sendRequestToGateway } from "../test-gateway.ts";

/** The status and the title of the page for every code of a failed request. RFC 9110 §15. */
const EXPECTED_STATUS_BY_CODE: Readonly<Record<AccessErrorCode, readonly [status: number, title: string]>> = {
  "unknown-scheme": [404, "Not found"],
  "refused-port": [403, "Forbidden"],
  "refused-address": [403, "Forbidden"],
  "refused-name": [403, "Forbidden"],
  "refused-characters": [400, "Bad request"],
  "refused-redirect": [403, "Forbidden"],
  "authentication-required": [403, "Forbidden"],
  "permission-denied": [403, "Forbidden"],
  "not-found": [404, "Not found"],
  rejected: [502, "The server failed"],
  unavailable: [502, "The server failed"],
  proxy: [502, "The server failed"],
  protocol: [502, "The server failed"],
  incomplete: [502, "The server failed"],
  limit: [502, "The server failed"],
  timeout: [504, "The server did not answer in time"],
  aborted: [503, "Too busy"],
  unsupported: [400, "Bad request"],
  "out-of-range": [416, "Range not satisfiable"],
  "no-content": [400, "Bad request"],
  plugin: [500, "Internal error of the gateway"],
};

/** A scheme whose requests fail with the error code in the URL. */
const failingScheme: Scheme = {
  name: "x-fail",
  syntax: createGenericSyntax({ schemes: ["x-fail"] }),
  plan: (url) => ({ url, steps: [] }),
  access: ({ url }) =>
    Promise.reject(new AccessError(url.href.replace("x-fail://", "") as AccessErrorCode, "the reason")),
};

describe("a failed request results in an error page", () => {
  it.each(Object.entries(EXPECTED_STATUS_BY_CODE))(
    "the error page for the error code %s has the status and the title: %s",
    async (code, [status, title]) => {
      await using client = createClient({ schemes: [failingScheme] });
      await using gateway = await startGateway(client, { port: 0 });
      const answer = await sendRequestToGateway(gateway.port, `/x-fail/${code}`);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(`<h1>${title}</h1>`);
      const text = status === 500 ? "The request failed." : "the reason";
      expect(answer.text).toContain(`<p class="failure" role="alert">${text}</p>`);
      expect(answer.headers["retry-after"]).toBe(status === 503 ? "5" : undefined);
    },
  );
});

describe("a GatewayHttpError results in an error page", () => {
  it.each<[method: string, target: string, status: number, title: string, allow: string | undefined]>([
    ["DELETE", "/", 405, "Method not allowed", "GET, HEAD"],
    ["GET", "/~form", 405, "Method not allowed", "POST"],
    ["POST", "/~form", 413, "Request too large", undefined],
  ])(
    "the response to the refused request %s %s is an error page with the status %i",
    async (method, target, status, title, allow) => {
      await using client = createClient({ schemes: [gopher()] });
      await using gateway = await startGateway(client, { port: 0 });
      const body = "x".repeat(65_537);
      const answer = await sendRequestToGateway(gateway.port, target, {
        method,
        ...(method === "POST" && { body }),
      });
      expect([answer.status, answer.headers["allow"]]).toEqual([status, allow]);
      expect(answer.text).toContain(`<h1>${title}</h1>`);
    },
  );

  it.each([
    [new GatewayHttpError(421, "Wrong host."), 421, "Wrong host."],
    [new AccessError("timeout", "too slow", { advice: "for programmers" }), 504, "too slow"],
    [new TypeError("secret of the program"), 500, "The request failed."],
    ["no error at all", 500, "The request failed."],
  ])("the gateway shows only the public text of the error %s", (error, status, message) => {
    expect([getHttpStatusForError(error), getPageTextForError(error)]).toEqual([status, message]);
  });

  it("the error page for an invalid URL states the position of the fault", () => {
    const { fault } = createClient({ schemes: [gopher()] }).tryParse("gopher://h x/");
    const error = fault && new UrlSyntaxError(fault);
    expect([getHttpStatusForError(error), getPageTextForError(error)]).toEqual([400, error?.message]);
  });
});
