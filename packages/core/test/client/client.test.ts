import { describe, expect, expectTypeOf, it } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { createClient } from "../../src/client/client.ts";
import type { Client } from "../../src/client/client-interface.ts";
import type { FetchInit } from "../../src/client/fetch/fetch-init.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import type { ContentResource, Resource } from "../../src/scheme/resource.ts";
import type { Plan } from "../../src/scheme/plan.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { GenericUrl, createGenericSyntax, type Url, UrlSyntaxError } from "../../src/syntax/index.ts";
import { getPlannedBytes, startScriptedServer } from "../../src/testing/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { startSilentServer } from "../silent-server.ts";
import { createPathLineScheme, createSocketlessScheme } from "./test-schemes.ts";

const line = createPathLineScheme("x-line");
const failingScheme = createSocketlessScheme(() => Promise.reject(new Error("so it is")));
const testClient = createClient({ schemes: [line, failingScheme] });

/** The result type of `dereference` for a literal or a URL. */
type Dereferenced<T extends string | Url> = Awaited<ReturnType<typeof testClient.dereference<T>>>;

describe("the types of a client's results", () => {
  it("the literal type of a URL determines the types of URL and resource", () => {
    const anyText: string = "x-line://h/";
    expectTypeOf(testClient.parse("x-line://h/")).toEqualTypeOf<GenericUrl<"x-line">>();
    expectTypeOf(testClient.parse("X-LINE://h/")).toEqualTypeOf<GenericUrl<"x-line">>();
    expectTypeOf(testClient.parse("x-else:a")).toEqualTypeOf<GenericUrl>();
    expectTypeOf(testClient.parse(anyText)).toEqualTypeOf<
      GenericUrl<"x-line"> | GenericUrl<"x-made"> | GenericUrl
    >();
    expectTypeOf<Dereferenced<"x-line://h/">>().toEqualTypeOf<ContentResource>();
    expectTypeOf<Dereferenced<"x-made:a">>().toEqualTypeOf<Resource>();
    expectTypeOf<Dereferenced<string>>().toEqualTypeOf<Resource>();
    expectTypeOf<Dereferenced<GenericUrl<"x-line">>>().toEqualTypeOf<ContentResource>();
    expectTypeOf<Dereferenced<Url>>().toEqualTypeOf<Resource>();
    expectTypeOf(testClient.schemes).toEqualTypeOf<readonly ("x-line" | "x-made")[]>();
    expectTypeOf(testClient.plan("x-line://h:1/")).toEqualTypeOf<Plan<GenericUrl<"x-line">>>();
    expectTypeOf(testClient).toExtend<Client>();
  });

  it("the literal type of a URL determines the options of its scheme", () => {
    testClient.plan("x-line://h:1/", { headerName: "h" });
    // @ts-expect-error -- The option belongs to another scheme.
    testClient.plan("x-made:a", { headerName: "h" });
    // @ts-expect-error -- The value is no string.
    testClient.plan("x-line://h:1/", { headerName: 1 });
  });

  it("a URL of type string allows the options of all schemes", async () => {
    const text: string = "x-line://h:1/";
    const url: Url = testClient.parse(text);
    for (const input of [text, url]) testClient.plan(input, { headerName: "h" });
    // @ts-expect-error -- No scheme of the client has this option.
    expect(() => testClient.plan(text, { hedaer: "h" })).not.toThrow();
    // @ts-expect-error -- The value is no string.
    testClient.plan(text, { headerName: 1 });
    const two = createClient({ schemes: [line, createPathLineScheme("x-two"), failingScheme] });
    expectTypeOf<typeof two.dereference>().toBeCallableWith(text, { headerName: "h", email: "a@b" });
    expectTypeOf<Awaited<ReturnType<typeof two.dereference<string>>>>().toEqualTypeOf<Resource>();
    const lines = createClient({ schemes: [line] });
    expectTypeOf<Awaited<ReturnType<typeof lines.dereference<string>>>>().toEqualTypeOf<ContentResource>();
    await Promise.all([two.destroy(), lines.destroy()]);
  });

  it("client.fetch has the type of the global fetch", async () => {
    const platform: typeof fetch = testClient.fetch;
    await expect(platform("x-made:a", { method: "POST" })).rejects.toThrow(TypeError);
    const init: NonNullable<Parameters<typeof fetch>[1]> = {
      credentials: "include",
      mode: "cors",
      signal: null,
    };
    expectTypeOf(init).toExtend<FetchInit>();
    await expect(platform("x-made:a", init)).rejects.toMatchObject({ message: "fetch failed" });
  });
});

describe("client.parse, client.tryParse and client.resolve", () => {
  it("client.parse uses the syntax of the URL's scheme, or the generic syntax", () => {
    expect(testClient.schemes).toEqual(["x-line", "x-made"]);
    expect(testClient.parse("X-Line://h/a")).toBeInstanceOf(GenericUrl);
    expect(testClient.parse("x-any://h/a").components()).toMatchObject({ scheme: "x-any", host: "h" });
    expect(testClient.tryParse("x-line").fault?.code).toBe("missing-scheme");
    expect(testClient.tryParse(":").fault?.code).toBe("missing-scheme");
    expect(testClient.parse(" x-line://h/ ").href).toBe("x-line://h/");
    expect(() => testClient.parse("x-line://h/\0")).toThrow(UrlSyntaxError);
    expect(testClient.format(testClient.parse("x-line://h/~"))).toBe("x-line://h/%7E");
    expect(testClient.format(testClient.parse("x-any://h/~"))).toBe("x-any://h/%7E");
  });

  it("client.parse finds the scheme of a text that begins with white space", () => {
    const syntax = createGenericSyntax({ schemes: ["x-line"], defaultPort: 7 });
    const other = createClient({ schemes: [{ ...line, syntax }] });
    expect(other.parse("\t x-line://h/")).toMatchObject({ href: "x-line://h/", effectivePort: 7 });
    expect(other.tryParse(" x-line://h/", { mode: "rfc1738" }).fault?.code).toBe("bad-scheme");
  });

  it("client.parse uses the client's mode and maxUrlLength unless the call specifies its own", () => {
    const strict = createClient({ schemes: [line], mode: "rfc1738", limits: { maxUrlLength: 20 } });
    expect(strict.tryParse("x-line://h/~").fault?.code).toBe("unsafe");
    expect(strict.tryParse("x-line://h/~", { mode: undefined }).fault?.code).toBe("unsafe");
    expect(strict.tryParse("x-line://h/~", { mode: "modern" }).fault).toBeUndefined();
    expect(strict.tryParse("x-line://h/".padEnd(20, "a")).fault).toBeUndefined();
    expect(strict.tryParse("x-line://h/".padEnd(21, "a")).fault?.code).toBe("too-long");
    expect(strict.tryParse("x-line://h/".padEnd(21, "a"), { maxLength: undefined }).fault?.code).toBe(
      "too-long",
    );
    expect(strict.tryParse("x-line://h/".padEnd(21, "a"), { maxLength: 21 }).fault).toBeUndefined();
  });

  it("client.resolve resolves a reference by the path syntax of the scheme", () => {
    const syntax = createGenericSyntax({ schemes: ["x-line"], hierarchy: true });
    const other = createClient({ schemes: [{ ...line, syntax }] });
    expect(other.resolve(other.parse("x-line://h/a/b"), "../c").href).toBe("x-line://h/c");
    expect(() => testClient.resolve(testClient.parse("x-line://h/a/b"), "c")).toThrow(UrlSyntaxError);
  });
});

describe("createClient", () => {
  it.each([
    ["the same scheme twice", () => createClient({ schemes: [line, line] })],
    ["a limit maxRedirects of 0", () => createClient({ schemes: [], limits: { maxRedirects: 0 } })],
  ])("createClient throws a TypeError for %s", (_name, create) => expect(create).toThrow(TypeError));
});

describe("client.plan", () => {
  it("client.plan opens no socket, resolves no name, and returns the bytes that dereference sends", async () => {
    await using server = await startScriptedServer(async (peer) => void (await peer.readLine()));
    const names: string[] = [];
    const resolver = (name: string): Promise<readonly string[]> =>
      Promise.resolve(names.push(name) > 0 ? ["127.0.0.1"] : []);
    const other = createClient({ schemes: [line], policy: anyAddress(), resolver });
    const text = `x-line://name.example:${server.port}/a%20b` as const;
    const plan = other.plan(text);
    expect([names, server.connections]).toEqual([[], []]);
    const resource = await other.dereference(text);
    await resource.bytes();
    expect(server.connections[0]?.received).toEqual(getPlannedBytes(plan));
    expect(getPlannedBytes(plan)).toEqual(getPlannedBytes(resource.plan));
    expect(names).toEqual(["name.example"]);
  });

  it.each([
    [
      "x-any:a",
      "unknown-scheme",
      "the scheme x-any is not registered: plan x-any:a (registered: x-line, x-made; ",
    ],
    ["joe:needle@h.example", "unknown-scheme", "the scheme joe is not registered: plan joe:****@h.example ("],
    [
      "joe:nee/dle@h.example:80/",
      "unknown-scheme",
      "the scheme joe is not registered: plan joe:****@h.example:80/ (",
    ],
    [
      "x-line://u:needle@h/a%0Ab",
      "refused-characters",
      "the path contains the control byte %0A: plan x-line://u:****@h/a%0Ab (",
    ],
    ["x-line:a", "unsupported", "the URL has no host: plan x-line:a"],
  ])("client.plan rejects %s with the code %s", async (text, code, message) => {
    const error = await catchAccessError(() => testClient.plan(text));
    expect(error.code).toBe(code);
    expect(error.message.startsWith(message)).toBe(true);
    expect((await catchAccessError(testClient.dereference(text))).message).toBe(
      error.message.replace(": plan ", ": dereference "),
    );
  });

  it("the client passes options and the e-mail address to the scheme's plan and access", async () => {
    const seen: unknown[] = [];
    const scheme: Scheme = {
      ...line,
      plan(url, options, limits) {
        seen.push(options.email);
        return line.plan(url as GenericUrl<"x-line">, options, limits);
      },
      access: (_plan, _context, options) => {
        seen.push(options.email);
        return Promise.reject(new Error("enough"));
      },
    };
    const other = createClient({ schemes: [scheme], email: "me@example" });
    other.plan("x-line://h/");
    other.plan("x-line://h/", { email: "you@example" });
    await catchAccessError(other.dereference("x-line://h/"));
    await catchAccessError(other.dereference("x-line://h/", { email: "you@example" }));
    expect(seen).toEqual([
      "me@example",
      "you@example",
      "me@example",
      "me@example",
      "you@example",
      "you@example",
    ]);
  });

  it("the client rejects a plan with more steps than maxSteps of the client or the request", async () => {
    const three = createClient({ schemes: [line], limits: { maxSteps: 3 } });
    expect(three.plan("x-line://127.0.0.1/a").steps).toHaveLength(3);
    expect(await catchAccessError(() => three.plan("x-line://h.example/a"))).toMatchObject({
      code: "limit",
      limit: "maxSteps",
    });
    const work = testClient.dereference("x-line://h.example/a", { limits: { maxSteps: 3 } });
    expect(await catchAccessError(work)).toMatchObject({ code: "limit", limit: "maxSteps" });
  });

  it("maxUrlLength of a request limits the length of its URL", async () => {
    const work = testClient.dereference("x-line://h.example/a", { limits: { maxUrlLength: 19 } });
    await expect(work).rejects.toMatchObject({ code: "too-long" });
  });
});

describe("the errors of client.dereference", () => {
  it("an error of an access method gets a code, the URL and the step", async () => {
    const error = await catchAccessError(testClient.dereference("x-made:a"));
    expect(error).toMatchObject({
      code: "plugin",
      message: "a scheme or a callback threw an error: so it is: dereference x-made:a",
      url: "x-made:a",
    });
    expect(error.step).toMatchObject({ action: "open", description: "opens" });
  });

  it("an access method that throws synchronously rejects the promise of dereference", async () => {
    const scheme: Scheme = {
      ...failingScheme,
      access() {
        throw new AccessError("not-found", "nothing here");
      },
    };
    const error = await catchAccessError(createClient({ schemes: [scheme] }).dereference("x-made:a"));
    expect(error.message).toBe("nothing here: dereference x-made:a");
  });

  it("the mode rfc1738 accepts a URL in which other parsers find another host only under anyAddress()", async () => {
    await using server = await startScriptedServer(async (peer) => void (await peer.readLine()));
    const text = `x-line://good.dom?@127.0.0.1:${server.port}/`;
    const options = { schemes: [line], mode: "rfc1738" } as const;
    const work = createClient({ ...options, policy: publicInternet() }).dereference(text);
    expect((await catchAccessError(work)).code).toBe("refused-name");
    expect(server.connections).toHaveLength(0);
    await (await createClient({ ...options, policy: anyAddress() }).dereference(text)).close();
  });

  it("the default policy of a client is publicInternet()", async () => {
    await using server = await startSilentServer();
    const work = testClient.dereference(`x-line://127.0.0.1:${server.port}/`);
    expect((await catchAccessError(work)).code).toBe("refused-address");
    expect(server.connections).toHaveLength(0);
  });

  it("allowPorts accepts the name of a scheme in any case", async () => {
    await using server = await startScriptedServer((peer) => peer.send("x"));
    const scheme: Scheme = { ...line, name: "X-Line", portRange: "default" };
    const url = `x-line://127.0.0.1:${server.port}/`;
    const refused = createClient({ schemes: [scheme], policy: anyAddress() });
    expect(await catchAccessError(refused.dereference(url))).toMatchObject({
      code: "refused-port",
      advice: `allow it with allowPorts: { "x-line": [${server.port}] }`,
    });
    expect(server.connections).toHaveLength(0);
    const allowed = createClient({
      schemes: [scheme],
      policy: anyAddress({ allowPorts: { "x-line": [server.port] } }),
    });
    await (await allowed.dereference(url)).close();
  });
});
