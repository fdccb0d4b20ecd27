import { anyAddress, createClient, publicInternet } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { http, https } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";

// Option values of any type, as a JavaScript program may pass them.
/* eslint-disable @typescript-eslint/no-explicit-any */
type AnyValue = any;

const client = createClient({ schemes: [http(), https(), ftp()] }) as AnyValue;
const ftpClient = createClient({ schemes: [ftp()] }) as AnyValue;
const create = (options: object): unknown => createClient({ schemes: [http()], ...options } as AnyValue);
const url = "http://h.example/";

const MISTAKES: readonly (readonly [title: string, message: string, call: () => unknown])[] = [
  [
    "a scheme factory instead of its return value",
    'createClient: the option "schemes[0]" has to be a scheme, such as the return value of http(), and not a function; call it: http()',
    () => create({ schemes: [http] }),
  ],
  [
    "a single scheme instead of an array",
    'createClient: the option "schemes" has to be an array of schemes, as [http(), ftp()], and not an object; put it in an array',
    () => create({ schemes: http() }),
  ],
  [
    "a policy factory instead of its return value",
    'createClient: the option "policy" has to be a policy, such as the return value of publicInternet(), and not a function; call it: publicInternet()',
    () => create({ policy: publicInternet }),
  ],
  [
    "the name of a policy instead of a policy",
    'createClient: the option "policy" has to be a policy, such as the return value of publicInternet(), and not a string',
    () => create({ policy: "publicInternet" }),
  ],
  [
    "a single port instead of an array",
    'publicInternet: the option "allowPorts.http" has to be an array of ports from 1 to 65535, and not 3000; put it in an array',
    () => publicInternet({ allowPorts: { http: 3000 as AnyValue } }),
  ],
  [
    "ports without a scheme",
    'publicInternet: the option "allowPorts" has to be an object with ports by scheme, such as { http: [3000] }, and not an array',
    () => publicInternet({ allowPorts: [3000] as AnyValue }),
  ],
  [
    "a single address instead of an array",
    'anyAddress: the option "allowAddresses" has to be an array of address blocks, such as "10.1.0.0/16", and not a string; put it in an array',
    () => anyAddress({ allowAddresses: "10.0.0.0/8" as AnyValue }),
  ],
  [
    "credentials without a function",
    'createClient: the option "credentials" has to be a function that returns a login, as ({ host }) => host === "api.example" ? { user, password } : undefined, and not an object',
    () => create({ credentials: { user: "joe", password: "secret" } }),
  ],
  [
    "a timeout passed to createClient, which has no such option",
    'createClient has no option "timeout": write limits: { callTimeoutMs }, or signal: AbortSignal.timeout(ms)',
    () => create({ timeout: 5_000 }),
  ],
  [
    "headers of the client",
    'createClient has no option "headers": write client.extend({ headers })',
    () => create({ headers: { accept: "text/html" } }),
  ],
  [
    "a base URL of the client",
    'createClient has no option "baseUrl": write client.extend({ baseUrl })',
    () => create({ baseUrl: "http://h.example/" }),
  ],
  [
    "hooks of the client",
    'createClient has no option "hooks": write client.extend({ onRequest, onResponse })',
    () => create({ hooks: {} }),
  ],
  [
    "retries instead of retry",
    'createClient has no option "retries": write retry: { maxRetries }',
    () => create({ retries: 3 }),
  ],
  [
    "a negative number of retries",
    'createClient: the option "retry" has to be false, a number of retries from 0 to 1000, or { maxRetries?, methods?, statusCodes?, backoffMs?, maxBackoffMs? }, and not -1',
    () => create({ retry: -1 }),
  ],
  [
    "a misspelled setting of retries",
    'createClient: the option "retry" has no option "maxRetires": did you mean "maxRetries"?',
    () => create({ retry: { maxRetires: 3 } }),
  ],
  [
    "a setting of undici's retries",
    'createClient: the option "retry" has no option "minTimeout": write backoffMs, the longest wait before the first retry',
    () => create({ retry: { minTimeout: 500 } }),
  ],
  [
    "a setting of got's retries",
    'createClient: the option "retry" has no option "backoffLimit": write maxBackoffMs',
    () => create({ retry: { backoffLimit: 500 } }),
  ],
  [
    "a limit outside the option limits",
    'createClient has no option "maxRedirects": write limits: { maxRedirects }',
    () => create({ maxRedirects: 3 }),
  ],
  [
    "a limit that is a string",
    'createClient: the option "limits.maxBodyBytes" has to be a number above 0, and not a string',
    () => create({ limits: { maxBodyBytes: "5" } }),
  ],
  [
    "a misspelled limit",
    'createClient: the option "limits" has no option "maxBodyByte": did you mean "maxBodyBytes"?',
    () => create({ limits: { maxBodyByte: 5 } }),
  ],
  [
    "header instead of headers",
    'dereference has no option "header": did you mean "headers"?',
    () => client.dereference(url, { header: { a: "b" } }),
  ],
  [
    "a timeout passed to dereference, which has no such option",
    'dereference has no option "timeout": write limits: { callTimeoutMs }, or signal: AbortSignal.timeout(ms)',
    () => client.dereference(url, { timeout: 5_000 }),
  ],
  [
    "an AbortController instead of its signal",
    'dereference: the option "signal" has to be an AbortSignal, and not an object',
    () => client.dereference(url, { signal: new AbortController() }),
  ],
  [
    "search parameters",
    'dereference has no option "searchParams": write the search part into the URL',
    () => client.dereference(url, { searchParams: { a: "b" } }),
  ],
  [
    "an untrusted certificate",
    'createClient has no option "rejectUnauthorized": certificates are always verified; write https({ ca }) for a private issuer',
    () => create({ rejectUnauthorized: false }),
  ],
  [
    "method on ftp",
    'dereference has no option "method": use client.put(), client.delete() or client.fetch()',
    () => ftpClient.dereference("ftp://h.example/", { method: "DELETE" }),
  ],
  [
    "method on ftp, with http registered",
    "the scheme ftp does not support the option method: dereference ftp://h.example/ (use client.put() or client.delete())",
    () => client.dereference("ftp://h.example/", { method: "DELETE" }),
  ],
  [
    "a scheme that is not registered",
    "the scheme gopher is not registered: dereference gopher://h.example/ (registered: http, https, ftp; install @anyscheme/scheme-gopher and register gopher())",
    () => client.dereference("gopher://h.example/"),
  ],
  [
    "no URL",
    "the URL must be a string, or an object whose href is a string",
    () => client.dereference(undefined),
  ],
];

describe("the message of a common mistake says what to write", () => {
  it.each(MISTAKES)("the error for the mistake has the expected message: %s", async (_, message, call) => {
    const failure: unknown = await Promise.resolve()
      .then(call)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toBe(message);
  });
});
