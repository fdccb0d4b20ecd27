import { AccessError, type AccessCode, createClient, type Scheme } from "@anyscheme/core";
import { genericSyntax, UrlSyntaxError } from "@anyscheme/core/syntax";
import { gopher } from "@anyscheme/scheme-gopher";
import { describe, expect, it } from "vitest";
import { startGateway } from "../src/index.ts";
import { explanationOf, Refusal, statusOf } from "../src/status.ts";
import { ask } from "./serve.ts";

/** Every code of a failed access: the status that a browser gets, and the heading of the page. RFC 9110 §15. */
const CODES: Readonly<Record<AccessCode, readonly [status: number, heading: string]>> = {
  "unknown-scheme": [404, "Not found"],
  "refused-port": [403, "Not allowed"],
  "refused-address": [403, "Not allowed"],
  "refused-name": [403, "Not allowed"],
  "refused-characters": [400, "Bad request"],
  "refused-redirect": [403, "Not allowed"],
  "authentication-required": [403, "Not allowed"],
  "permission-denied": [403, "Not allowed"],
  "not-found": [404, "Not found"],
  unavailable: [502, "The server failed"],
  protocol: [502, "The server failed"],
  incomplete: [502, "The server failed"],
  limit: [502, "The server failed"],
  timeout: [504, "The server did not answer in time"],
  aborted: [503, "Too busy"],
  unsupported: [400, "Bad request"],
  "out-of-range": [416, "No such part"],
  "no-content": [400, "Bad request"],
  plugin: [500, "A fault of this gateway"],
};

/** A scheme whose accesses fail with the code that the URL names. */
const failing: Scheme = {
  name: "x-fail",
  syntax: genericSyntax({ schemes: ["x-fail"] }),
  plan: (url) => ({ url, steps: [] }),
  access: ({ url }) =>
    Promise.reject(new AccessError(url.href.replace("x-fail://", "") as AccessCode, "a reason of its own")),
};

describe("the page of a failed access", () => {
  it.each(Object.entries(CODES))("%s: %s", async (code, [status, heading]) => {
    await using client = createClient({ schemes: [failing] });
    await using gateway = await startGateway(client, { port: 0 });
    const answer = await ask(gateway.port, `/x-fail/${code}`);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(`<h1>${heading}</h1>`);
    expect(answer.text).toContain(`<p class="failure" role="alert">a reason of its own</p>`);
    expect(answer.headers["retry-after"]).toBe(status === 503 ? "5" : undefined);
  });
});

describe("the page of a refusal", () => {
  it.each<[method: string, target: string, status: number, heading: string, allow: string | undefined]>([
    ["DELETE", "/", 405, "Not that method", "GET, HEAD"],
    ["GET", "/~form", 405, "Not that method", "POST"],
    ["POST", "/~form", 413, "Too much", undefined],
  ])("%s %s: %i", async (method, target, status, heading, allow) => {
    await using client = createClient({ schemes: [gopher()] });
    await using gateway = await startGateway(client, { port: 0 });
    const body = "x".repeat(65_537);
    const answer = await ask(gateway.port, target, { method, ...(method === "POST" && { body }) });
    expect([answer.status, answer.headers["allow"]]).toEqual([status, allow]);
    expect(answer.text).toContain(`<h1>${heading}</h1>`);
  });

  it.each([
    [new Refusal(421, "Somewhere else."), 421, "Somewhere else."],
    [new AccessError("timeout", "too slow", { advice: "of a program" }), 504, "too slow"],
    [new TypeError("secret of the program"), 500, "The request could not be served."],
    ["no error at all", 500, "The request could not be served."],
  ])("of %s says what a person may know", (error, status, says) => {
    expect([statusOf(error), explanationOf(error)]).toEqual([status, says]);
  });

  it("of a text that is no URL says where the fault is", () => {
    const { fault } = createClient({ schemes: [gopher()] }).tryParse("gopher://h x/");
    const error = fault && new UrlSyntaxError(fault);
    expect([statusOf(error), explanationOf(error)]).toEqual([400, error?.message]);
  });
});
