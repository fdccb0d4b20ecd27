import { createClient, type Scheme, anyAddress } from "@anyscheme/core";
import { createIntegerOptionKind } from "@anyscheme/core/plugin";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { startGateway } from "@anyscheme/gateway";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { file, mailto, telnet } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";

// Option values of any type, as a JavaScript program may pass them.
/* eslint-disable @typescript-eslint/no-explicit-any */
type OptionsOfAnyType = any;

const SECRET_OPTION_VALUE = "n33dle-pa55word";
const schemes = [http(), https(), ftp(), gopher(), file(), mailto(), telnet()] as const;
const client = createClient({ schemes }) as OptionsOfAnyType;
const url = "http://h.example/";

type RejectedCall = readonly [message: string, call: () => unknown];

const EXPECTED_POLICY_TEXT = "a policy, such as the return value of publicInternet()";
const INVALID_CALL_OPTIONS: readonly (readonly [unknown, string])[] = [
  [{ header: { a: "b" } }, ' has no option "header": did you mean "headers"?'],
  [
    { timeout: 5 },
    ' has no option "timeout": write limits: { callTimeoutMs }, or signal: AbortSignal.timeout(ms)',
  ],
  [{ idleTimeoutMs: 5 }, ' has no option "idleTimeoutMs": write limits: { idleTimeoutMs }'],
  [
    { redirect: "return" },
    ': the option "redirect" has to be "follow", "error" or "manual", and not "return"',
  ],
  [{ signal: 5 }, ': the option "signal" has to be an AbortSignal, and not 5'],
  [{ signal: new AbortController() }, ': the option "signal" has to be an AbortSignal, and not an object'],
  [
    { policy: anyAddress },
    `: the option "policy" has to be ${EXPECTED_POLICY_TEXT}, and not a function; call it`,
  ],
  [{ onProgress: {} }, ': the option "onProgress" has to be a function, and not an object'],
  [
    { headers: { authorization: 5 } },
    ': the option "headers" has to be an object of strings, a Headers object, or an iterable of pairs of name and value, and not an object',
  ],
  [
    { headers: SECRET_OPTION_VALUE },
    ': the option "headers" has to be an object of strings, a Headers object, or an iterable of pairs of name and value, and not a string',
  ],
  [
    { range: { start: 5, endExclusive: 5 } },
    ': the option "range" has to be { start, endExclusive? } with whole numbers, where start is less than endExclusive, and not another object',
  ],
  [
    { range: "bytes=0-5" },
    ': the option "range" has to be { start, endExclusive? } with whole numbers, where start is less than endExclusive, and not a string',
  ],
  [{ ifModifiedSince: "1994" }, ': the option "ifModifiedSince" has to be a valid Date, and not a string'],
  [
    { resume: { maxRetires: 5 } },
    ': the option "resume" has no option "maxRetires": did you mean "maxRetries"?',
  ],
  [{ resume: { attempts: 5 } }, ': the option "resume" has no option "attempts": write maxRetries'],
  [{ type: "text" }, ': the option "type" has to be "a", "i" or "d", and not "text"'],
  [5, ': the argument "options" has to be an object, and not 5'],
  [null, ': the argument "options" has to be an object, and not null'],
];

const CLIENT_METHODS: readonly (readonly [
  name: string,
  call: (options: OptionsOfAnyType) => Promise<unknown>,
])[] = [
  ["dereference", (options) => client.dereference(url, options)],
  ["stat", (options) => client.stat(url, options)],
  ["put", (options) => client.put(url, "x", options)],
  ["delete", (options) => client.delete(url, options)],
  ["mkdir", (options) => client.mkdir(url, options)],
  ["rename", (options) => client.rename(url, url, options)],
];

const REJECTED_CALLS: readonly RejectedCall[] = [
  [
    'dereference has no option "method": use client.put(), client.delete() or client.fetch()',
    () =>
      (createClient({ schemes: [ftp()] }) as OptionsOfAnyType).dereference("ftp://h.example/", {
        method: "POST",
      }),
  ],
  [
    'dereference: the option "method" has to be an HTTP method other than CONNECT, TRACE and TRACK, and not "TRACE"',
    () => client.dereference(url, { method: "TRACE" }),
  ],
  [
    'dereference: the option "body" has to be a string, bytes, a Blob, FormData, URLSearchParams, a ReadableStream, or an iterable of Uint8Array, and not 5',
    () => client.dereference(url, { method: "POST", body: 5 }),
  ],
  ...CLIENT_METHODS.flatMap(([name, call]) =>
    INVALID_CALL_OPTIONS.map(([options, rest]): RejectedCall => [name + rest, () => call(options)]),
  ),
  ['put has no option "atomc": did you mean "atomic"?', () => client.put(url, "x", { atomc: true })],
  [
    'put: the option "offset" has to be a whole number from 0 on, or "end", and not "start"',
    () => client.put(url, "x", { offset: "start" }),
  ],
  [
    'dereference: the option "proxy" has to be the URL of a proxy, such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080", or { url, resolveBy?, ca? }, or a function that returns one of them, and not another string',
    () => client.dereference(url, { proxy: "127.0.0.1:3128" }),
  ],
  [
    'dereference: the option "proxy" has to be the URL of a proxy, such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080", or { url, resolveBy?, ca? }, or a function that returns one of them, and not another object',
    () => client.dereference(url, { proxy: {} }),
  ],
  [
    'dereference: the option "proxy.url" has to be the URL of a proxy, such as "http://proxy.example:3128" or "socks5://127.0.0.1:1080", and not another string',
    () => client.dereference(url, { proxy: { url: "127.0.0.1:3128" } }),
  ],
  [
    'dereference: the option "retry" has to be false, a number of retries from 0 to 1000, or {',
    () => client.dereference(url, { retry: 5_000 }),
  ],
  ['dereference has no option "atomic"', () => client.dereference(url, { atomic: true })],
  [
    'put: the argument "body" has to be a string, a Uint8Array, a Blob, a ReadableStream or an iterable of Uint8Array, and not 5',
    () => client.put(url, 5),
  ],
  [
    'fetch: the option "redirect" has to be "follow", "error" or "manual", and not "none"',
    () => client.fetch(url, { redirect: "none" }),
  ],
  [
    'fetch: the option "cache" has to be "default", "no-store", "reload", "no-cache", "force-cache" or "only-if-cached", and not "sometimes"',
    () => client.fetch(url, { cache: "sometimes" as never }),
  ],
  ['fetch: the option "integrity" has to be a string, and not 5', () => client.fetch(url, { integrity: 5 })],
  [
    'fetch: the option "body" has to be a string, bytes, a Blob, FormData, URLSearchParams or a ReadableStream; JSON.stringify converts an object, and not an object',
    () => client.fetch(url, { method: "POST", body: { a: 1 } }),
  ],
  [
    'fetch: a body that is a stream needs duplex: "half"',
    () => client.fetch(url, { method: "POST", body: new Blob(["x"]).stream() }),
  ],
  [
    'fetch: the argument "init.method" has to be an HTTP method other than CONNECT, TRACE and TRACK, and not "trace"',
    () => client.fetch(url, { method: "trace" }),
  ],
  ["fetch: a request with GET cannot have a body", () => client.fetch(url, { body: "x" })],
  [
    'fetch: the option "dispatcher" has to be omitted, because the guard opens all connections, and not an object',
    () => client.fetch(url, { dispatcher: {} }),
  ],
  [
    'fetch: the option "mode" has to be "cors", "no-cors" or "same-origin", and not "navigate"',
    () => client.fetch(url, { mode: "navigate" }),
  ],
  [
    'fetch: the option "credentials" has to be a function, or "omit", "same-origin" or "include", and not "yes"',
    () => client.fetch(url, { credentials: "yes" }),
  ],
  ['fetch: the option "signal" has to be an AbortSignal, and not 5', () => client.fetch(url, { signal: 5 })],
  ['fetch has no option "header": did you mean "headers"?', () => client.fetch(url, { header: {} })],
  ['fetch: the argument "init" has to be an object, and not 5', () => client.fetch(url, 5)],
  [
    "fetch: the scheme ftp does not support the method POST",
    () => client.fetch("ftp://h.example/", { method: "POST" }),
  ],
  [
    'startGateway: the argument "client" has to be a client that createClient() has created, and not undefined',
    () => startGateway(undefined as OptionsOfAnyType),
  ],
  [
    'startGateway: the option "port" has to be a whole number from 0 to 65535, and not a string',
    () => startGateway(client, { port: "80" } as OptionsOfAnyType),
  ],
  [
    'startGateway has no option "hostname": did you mean "host"?',
    () => startGateway(client, { hostname: "h" } as OptionsOfAnyType),
  ],
  [
    'startGateway: the option "concurrency.pages" has to be a whole number from 1 on, or Infinity, and not 0',
    () => startGateway(client, { concurrency: { pages: 0 } }),
  ],
  [
    'startGateway: the option "host" has to be an address or a host name, as "127.0.0.1", and not ""',
    () => startGateway(client, { host: "" }),
  ],
  ...["https://gw.example", "gw.example/", "*.gw.example", "", "2001:db8::1"].map((name): RejectedCall => [
    `startGateway: the option "allowedHosts[0]" has to be a host name as in the field Host, as "gw.example" or "gw.example:8443", and not another string`,
    () => startGateway(client, { allowedHosts: [name] }),
  ]),
  ...["headersTimeoutMs", "writeTimeoutMs"].map((name): RejectedCall => [
    `startGateway: the option "${name}" has to be a whole number from 1 to 2147483647, and not Infinity`,
    () => startGateway(client, { [name]: Infinity }),
  ]),
  [
    'connect: the option "terminalType" has to be a string, and not 5',
    async () => (await client.dereference("telnet://h.example/")).connect({ terminalType: 5 }),
  ],
  [
    'connect has no option "echo": did you mean "onEcho"?',
    async () => (await client.dereference("telnet://h.example/")).connect({ echo: 5 }),
  ],
];

describe("a wrong option of a request is refused with a message that says what to write", () => {
  it.each(REJECTED_CALLS)("a call throws the TypeError %s", async (message, call) => {
    const failure: unknown = await Promise.resolve(call()).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as Error).message.slice(0, message.length)).toBe(message);
    expect((failure as Error).message).not.toContain(SECRET_OPTION_VALUE);
  });
});

describe("the options method and body of http do not change a request of another scheme", () => {
  it.each([
    [{ method: "POST" }, "method"],
    [{ method: "HEAD" }, "method"],
    [{ body: "x" }, "body"],
    [{ method: "get", body: "x" }, "body"],
  ])("the options %j throw unsupported for ftp", async (options, name) => {
    await expect(client.dereference("ftp://h.example/", options)).rejects.toMatchObject({
      code: "unsupported",
      reason: `the scheme ftp does not support the option ${name}`,
    });
  });

  it.each([{ method: "GET" }, { method: "get", body: null }, {}])(
    "client.plan accepts the options %j for ftp",
    (options) => {
      expect(client.plan("ftp://h.example/", options).steps.length).toBeGreaterThan(0);
    },
  );
});

describe("the client checks the options of a request", () => {
  const plugin: Scheme = {
    ...mailto(),
    name: "x-any",
    syntax: createGenericSyntax({ schemes: ["x-any"] }),
    requestOptions: undefined,
    plan: (each) => ({ url: each, steps: [] }),
  };

  it.each([
    [
      "the client accepts an option of another registered scheme, because programs pass the same options for several schemes",
      { type: "i", language: "en" },
    ],
    [
      "the client accepts the value undefined for every kind of option",
      { headers: undefined, range: undefined, type: undefined },
    ],
  ])("%s", (_, options) => {
    expect(client.plan(url, options).steps.length).toBeGreaterThan(0);
  });

  it("the client accepts an option that two schemes declare, in the form of either scheme", () => {
    const lenient = { ...plugin, requestOptions: { accept: createIntegerOptionKind(0) } };
    const both = createClient({ schemes: [http(), gopher(), lenient] }) as OptionsOfAnyType;
    for (const accept of [5, "text/plain"])
      expect(both.plan(url, { accept }).steps.length).toBeGreaterThan(0);
  });

  it("a telnet URL accepts the option accept of gopher, which has no effect on it", async () => {
    const resource = await client.dereference("telnet://h.example/", { accept: "text/plain" });
    expect(resource.kind).toBe("service");
  });

  it("a scheme that declares no options accepts an option with any name", () => {
    const open = createClient({ schemes: [http(), plugin] }) as OptionsOfAnyType;
    expect(open.plan("x-any:a", { whatever: 5 }).steps).toEqual([]);
    expect(() => open.plan("x-any:a", { email: 5 })).toThrow('the option "email" has to be a string');
  });

  it("the client checks inherited options, and ignores other inherited properties", () => {
    const inherit = (defaults: object): object => Object.create(defaults) as object;
    expect(client.parse(url, inherit({ mode: "rfc1738", other: 1 })).mode).toBe("rfc1738");
    expect(() => client.parse(url, inherit({ mode: "strict" }))).toThrow('the option "mode" has to be');
  });

  it("a name that every object inherits is no option", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty"])
      expect(() => client.parse(url, { [name]: 1 })).toThrow(`has no option "${name}"`);
  });

  it("a method of the client accepts its own options", () => {
    expect(
      client.plan(url, { operation: "put", mediaType: "text/plain", size: 3 }).steps.length,
    ).toBeGreaterThan(0);
  });
});
