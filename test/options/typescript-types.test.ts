import { type Client, createClient, type Resource } from "@anyscheme/core";
import { ftp, type FtpResource } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http, type HttpContentResource, https } from "@anyscheme/scheme-http";
import { file, mailto, nntp, telnet } from "@anyscheme/scheme-others";
import { describe, expect, expectTypeOf, it } from "vitest";

const client = createClient({
  schemes: [http(), https(), ftp(), gopher(), file({ root: "/" }), mailto(), nntp(), telnet()],
});
const urlText: string = "http://h.example/";

describe("the option types for a URL whose text is not a literal", () => {
  it("the options of all registered schemes and the common options are allowed", () => {
    expect(client.plan(urlText, { headers: { accept: "text/html" } }).steps.length).toBeGreaterThan(0);
    expect(
      client.plan(urlText, { headers: { accept: "*/*" }, order: "newest-first", email: "a@b" }).url.href,
    ).toBe(urlText);
    expect(client.plan(client.parse(urlText), { type: "i" }).url.href).toBe(urlText);
    expectTypeOf<typeof client.dereference>().toBeCallableWith(urlText, {
      headers: { a: "b" },
      limits: { maxRedirects: 1 },
    });
    expectTypeOf<typeof client.stat>().toBeCallableWith(urlText, { redirect: "error" });
  });

  it("the options have the types that their schemes declare", () => {
    // @ts-expect-error -- a number cannot be header fields
    expect(() => client.plan(urlText, { headers: 5 })).toThrow(TypeError);
    // @ts-expect-error -- no scheme has this option
    expect(() => client.plan(urlText, { headres: {} })).toThrow(TypeError);
    // @ts-expect-error -- the scheme ftp has no header fields
    expect(client.plan("ftp://h.example/", { headers: {} }).steps.length).toBeGreaterThan(0);
  });

  it("the result type of a request is the union of the resource types of the registered schemes", () => {
    type Given = Awaited<ReturnType<typeof client.dereference<string>>>;
    expectTypeOf<FtpResource>().toExtend<Given>();
    expectTypeOf<HttpContentResource>().toExtend<Given>();
    expectTypeOf<Given>().toExtend<Resource>();
    expectTypeOf<Awaited<ReturnType<Client["dereference"]>>>().toEqualTypeOf<Resource>();
  });
});

describe("the option types accept requests with a method and a body", () => {
  it("client.fetch has the type of the platform's fetch", async () => {
    const fetchOfClient: typeof fetch = client.fetch;
    expectTypeOf(client.fetch).toExtend<typeof globalThis.fetch>();
    const body = new URLSearchParams({ a: "b" });
    const rejection = fetchOfClient("http://h.invalid/", {
      method: "POST",
      body,
      signal: AbortSignal.abort(),
    });
    await expect(rejection).rejects.toMatchObject({ name: "AbortError" });
  });

  it("dereference accepts the method and the body of http for any text", async () => {
    const signal = AbortSignal.abort();
    const bodies = ["text", new FormData(), new Uint8Array(1), new Blob([]).stream(), null];
    for (const body of bodies)
      await expect(
        client.dereference(urlText, { method: "POST", body, headers: { a: "b" }, signal }),
      ).rejects.toMatchObject({ code: "aborted" });
    // @ts-expect-error -- a number is no body
    await expect(client.dereference(urlText, { method: "POST", body: 5 })).rejects.toThrow(TypeError);
    const ftpClient = createClient({ schemes: [ftp()] });
    // @ts-expect-error -- the scheme ftp has no option method
    await expect(ftpClient.dereference(urlText, { method: "POST" })).rejects.toThrow(
      "the scheme http is not registered",
    );
  });

  it("the result of a client with few schemes is a resource of these schemes", () => {
    const httpClient = createClient({ schemes: [http(), https()] });
    expectTypeOf<
      typeof httpClient.dereference<string>
    >().returns.resolves.toEqualTypeOf<HttpContentResource>();
    const ftpClient = createClient({ schemes: [http(), ftp()] });
    expectTypeOf<typeof ftpClient.dereference<string>>().returns.resolves.toEqualTypeOf<
      HttpContentResource | FtpResource
    >();
  });
});
