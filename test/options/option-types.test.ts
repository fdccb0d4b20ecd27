import { type Client, createClient, type Resource } from "@anyscheme/core";
import { ftp, type FtpResource } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http, type HttpResource, https } from "@anyscheme/scheme-http";
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

  it("the request returns a resource type of any registered scheme", () => {
    type Given = Awaited<ReturnType<typeof client.dereference<string>>>;
    expectTypeOf<FtpResource>().toExtend<Given>();
    expectTypeOf<HttpResource>().toExtend<Given>();
    expectTypeOf<Given>().toExtend<Resource>();
    expectTypeOf<Awaited<ReturnType<Client["dereference"]>>>().toEqualTypeOf<Resource>();
  });
});
