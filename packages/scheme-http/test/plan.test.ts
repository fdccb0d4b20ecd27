import * as zlib from "node:zlib";
import { AccessError, createClient } from "@anyscheme/core";
import { getPlannedBytes } from "@anyscheme/core/testing";
import { http, type HttpRequestOptions, https } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";

const httpClient = createClient({ schemes: [http(), https()] });

/** Some versions of Deno lack zstd. */
const ACCEPTED_CODINGS = `gzip, deflate, br${"createZstdDecompress" in zlib ? ", zstd" : ""}`;

const planRequestText = (url: string, options?: HttpRequestOptions): string =>
  getPlannedBytes(httpClient.plan(url as "http://h/", options)).toString("latin1");

const catchAccessError = (work: () => unknown): AccessError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AccessError) return error;
  }
  throw new Error("nothing was refused");
};

describe("an http plan contains the steps of a request", () => {
  it("the plan of an http URL has the actions resolve, connect, send, expect, send, redirect, transfer and close", () => {
    expect(
      httpClient
        .plan("http://www.acl.lanl.gov/URI/archive")
        .steps.map(({ action, spec: section }) => [action, section]),
    ).toEqual([
      ["resolve", "3.1"],
      ["connect", "3.1"],
      ["send", "RFC 9112 3"],
      ["expect", "RFC 9112 4"],
      ["send", "RFC 9110 11.6"],
      ["redirect", "RFC 9110 15.4"],
      ["transfer", "RFC 9112 6"],
      ["close", "RFC 9112 9.6"],
    ]);
  });

  it("the plan of an https URL with an IP address has a TLS step and no lookup", () => {
    const { steps } = httpClient.plan("https://127.0.0.1:8443/");
    expect(steps.map(({ action }) => action)).toEqual([
      "connect",
      "tls",
      "send",
      "expect",
      "send",
      "redirect",
      "transfer",
      "close",
    ]);
    expect(steps[1]).toMatchObject({
      spec: "RFC 9110 4.2.2",
      target: { host: "127.0.0.1", port: 8443 },
    });
  });
});

describe("an http plan contains the request", () => {
  it("the planned request has each default header once", () => {
    expect(planRequestText("http://Example.COM/a?b")).toBe(
      `GET /a?b HTTP/1.1\r\nhost: example.com\r\naccept: */*\r\naccept-encoding: ${ACCEPTED_CODINGS}\r\n` +
        "user-agent: anyscheme/0.1.0\r\n\r\n",
    );
  });

  it.each([
    ["http://h", "/", "h"],
    ["http://h:80/", "/", "h"],
    ["https://h:443/", "/", "h"],
    ["http://h:443/", "/", "h:443"],
    ["http://h:0080/", "/", "h"],
    ["http://h:08080/", "/", "h:8080"],
    ["http://[2001:DB8::1]/", "/", "[2001:db8::1]"],
    ["http://[::1]:81/", "/", "[::1]:81"],
    ["http://h//a/../%2e%2E/b", "/b", "h"],
    ["http://h/a%0d%0ahost:%20evil", "/a%0d%0ahost:%20evil", "h"],
    ["http://h?q#f", "/?q", "h"],
  ])("the request for %s has the target %s and the Host header %s", (url, target, host) => {
    expect(planRequestText(url).split("\r\n").slice(0, 2)).toEqual([
      `GET ${target} HTTP/1.1`,
      `host: ${host}`,
    ]);
  });

  it("the request has the dot segments of the URL with pathAsIs, and in the mode rfc1738", () => {
    const target = "GET //a/../%2e%2E/b?x HTTP/1.1";
    expect(planRequestText("http://h//a/../%2e%2E/b?x", { pathAsIs: true }).split("\r\n")[0]).toBe(target);
    const exact = httpClient.parse("http://h//a/../%2e%2E/b?x", { mode: "rfc1738" });
    expect(
      Buffer.from(getPlannedBytes(httpClient.plan(exact)))
        .toString()
        .split("\r\n")[0],
    ).toBe(target);
  });

  it("the caller's headers are added to the request, and replace Accept and User-Agent", () => {
    const headers = { "X-One": "1", Accept: "text/plain", "user-agent": "me" };
    expect(planRequestText("http://h/", { headers }).split("\r\n").slice(2)).toEqual([
      `accept-encoding: ${ACCEPTED_CODINGS}`,
      "x-one: 1",
      "accept: text/plain",
      "user-agent: me",
      "",
      "",
    ]);
    const pairs = [
      ["x-one", "1"],
      ["X-One", "ä\t2"],
    ] as const;
    expect(planRequestText("http://h/", { headers: pairs })).toContain("\r\nx-one: 1\r\nx-one: ä\t2\r\n\r\n");
    expect(planRequestText("http://h/", { headers: new Headers({ a: "b" }) })).toContain("\r\na: b\r\n\r\n");
  });

  it("the request has the User-Agent that the options of the scheme set", () => {
    const plain = http({ userAgent: "mine/1" });
    expect(getPlannedBytes(createClient({ schemes: [plain] }).plan("http://h/")).toString()).toContain(
      "user-agent: mine/1\r\n",
    );
  });

  it("the JSON of a plan contains no header of the caller", () => {
    const plan = httpClient.plan("http://h/", { headers: { authorization: "Bearer n33dle" } });
    expect(JSON.stringify(plan)).not.toContain("n33dle");
    expect(getPlannedBytes(plan).toString()).toContain("authorization: Bearer n33dle\r\n");
  });
});

describe("planning refuses headers that a caller may not set", () => {
  it.each([
    ["x", "a\r\nb: c"],
    ["x", "\ra"],
    ["x", "a\n"],
    ["x", "a\nb"],
    ["x", "a\rb"],
    ["x", "a\0b"],
    ["x", "a\x7fb"],
    ["x", "\u2028"],
    ["x", "\u010a"],
    ["x: y\r\nz", "1"],
    ["x y", "1"],
    ["", "1"],
    ["ä", "1"],
    ["Host", "other"],
    ["connection", "keep-alive"],
    ["Content-Length", "5"],
    ["transfer-encoding", "chunked"],
    ["te", "trailers"],
    ["trailer", "x"],
    ["keep-alive", "timeout=5"],
    ["proxy-connection", "keep-alive"],
    ["proxy-authorization", "Basic eDp5"],
    ["Proxy-Authenticate", "Basic"],
    ["proxy-anything", "x"],
    ["HTTP2-Settings", "AAMAAABkAAQCAAAAAAIAAAAA"],
    ["upgrade", "h2c"],
    ["expect", "100-continue"],
    ["accept-encoding", "gzip"],
    ["range", "bytes=0-1"],
    ["if-none-match", "*"],
  ])("planning refuses a header with the name %j and the value %j", (name, value) => {
    expect(catchAccessError(() => httpClient.plan("http://h/", { headers: { [name]: value } })).code).toBe(
      "refused-characters",
    );
  });

  it.each([
    ["a\r\nb: c", "U+000D"],
    ["\0", "U+0000"],
    ["a\u010a", "U+010A"],
  ])("the error for the header value %j names the character %s", (value, character) => {
    expect(catchAccessError(() => httpClient.plan("http://h/", { headers: { x: value } })).reason).toBe(
      `the header x contains ${character}, which cannot be sent`,
    );
  });

  it("each character of a header value is either sent unchanged or refused", () => {
    for (let code = 0; code < 0x200; code++) {
      const value = `a${String.fromCharCode(code)}b`;
      const sendable = code === 9 || (code >= 0x20 && code < 0x7f) || (code >= 0x80 && code <= 0xff);
      if (sendable)
        expect(planRequestText("http://h/", { headers: { x: value } })).toContain(`x: ${value}\r\n\r\n`);
      else
        expect(catchAccessError(() => httpClient.plan("http://h/", { headers: { x: value } })).code).toBe(
          "refused-characters",
        );
    }
  });
});
