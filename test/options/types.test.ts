import { type Client, createClient, type Resource } from "@anyscheme/core";
import { ftp, type FtpResource } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http, type HttpResource, https } from "@anyscheme/scheme-http";
import { file, mailto, nntp, telnet } from "@anyscheme/scheme-others";
import { describe, expect, expectTypeOf, it } from "vitest";

const client = createClient({
  schemes: [http(), https(), ftp(), gopher(), file({ root: "/" }), mailto(), nntp(), telnet()],
});
const text: string = "http://h.example/";

describe("the options for a URL that is not a literal", () => {
  it("are those of all schemes, and the common ones", () => {
    expect(client.plan(text, { headers: { accept: "text/html" } }).steps.length).toBeGreaterThan(0);
    expect(
      client.plan(text, { headers: { accept: "*/*" }, order: "newest-first", email: "a@b" }).url.href,
    ).toBe(text);
    expect(client.plan(client.parse(text), { type: "i" }).url.href).toBe(text);
    expectTypeOf<typeof client.dereference>().toBeCallableWith(text, {
      headers: { a: "b" },
      limits: { maxRedirects: 1 },
    });
    expectTypeOf<typeof client.stat>().toBeCallableWith(text, { redirect: "error" });
  });

  it("have the types of their schemes", () => {
    // @ts-expect-error -- a number is no header fields
    expect(() => client.plan(text, { headers: 5 })).toThrow(TypeError);
    // @ts-expect-error -- no scheme has this
    expect(() => client.plan(text, { headres: {} })).toThrow(TypeError);
    // @ts-expect-error -- ftp has no header fields
    expect(client.plan("ftp://h.example/", { headers: {} }).steps.length).toBeGreaterThan(0);
  });

  it("return a resource of any of the schemes", () => {
    type Given = Awaited<ReturnType<typeof client.dereference<string>>>;
    expectTypeOf<FtpResource>().toExtend<Given>();
    expectTypeOf<HttpResource>().toExtend<Given>();
    expectTypeOf<Given>().toExtend<Resource>();
    expectTypeOf<Awaited<ReturnType<Client["dereference"]>>>().toEqualTypeOf<Resource>();
  });
});
