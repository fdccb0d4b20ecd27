import "@abraham/reflection";
import { CLIENT_TSYRINGE_TOKEN, registerClientInTsyringe } from "@anyscheme/core/tsyringe";
import { describeScheme, type ServedTestObject } from "@anyscheme/core/testing";
import { startGopherTestServer } from "@anyscheme/servers";
import { container } from "tsyringe";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createClient, type ContentResource, type DirectoryResource } from "@anyscheme/core";
import {
  gopher,
  type GopherAttributesResource,
  type GopherEntry,
  type GopherFormResource,
  gophers,
  type GopherUrl,
} from "../src/index.ts";
import { registerGopherInTsyringe } from "../src/tsyringe.ts";

async function startConformanceServer(): Promise<ServedTestObject> {
  const bytes = Buffer.from("GIF89a\0\r\n.\r\n and more\r\n.\r\n");
  const server = await startGopherTestServer({ files: { "picture.gif": bytes } });
  const at = (selector: string) => (port: number | undefined) => `gopher://127.0.0.1:${port}/g${selector}`;
  return {
    bytes,
    port: server.port,
    url: at("/picture.gif"),
    missingUrl: at("/missing.gif"),
    stop: () => server.stop(),
  };
}

describeScheme({ describe, it }, "gopher", {
  scheme: gopher,
  valid: [
    "gopher://gopher.example.org",
    "gopher://gopher.example.org:70/",
    "gopher://gopher.example.org/00/a.txt",
    "gopher://gopher.example.org/7find%09words",
    "gopher://gopher.example.org/0item%09%09+application/postscript%20Es_ES",
    "gopher://gopher.example.org/0item%09%09+%091%0D%0A+-1%0D%0Avalue%0D%0A.%0D%0A",
  ],
  invalid: [
    "gopher:",
    "gopher:/h/",
    "gopher:///",
    "gopher://user@h/",
    "gopher://h:port/",
    "gopher://h/0a\tb",
  ],
  serve: startConformanceServer,
});

describe("an application uses the schemes gopher and gophers", () => {
  it("an application registers the schemes gopher and gophers in a tsyringe container, or passes them to a client", () => {
    const child = container.createChildContainer();
    registerGopherInTsyringe(child, { emptySearch: "send" });
    registerClientInTsyringe(child);
    const client = child.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(client.schemes).toEqual(["gopher", "gophers"]);
    expect(createClient({ schemes: [gopher(), gophers()] }).schemes).toEqual(["gopher", "gophers"]);
    expect(
      client.plan("gophers://h.example/0a%09%09+").steps.find(({ action }) => action === "send")?.description,
    ).toBe("a<tab><tab>+<cr><lf>");
  });

  it("TypeScript infers the type of a Gopher URL from the URL literal", () => {
    const client = createClient({ schemes: [gopher(), gophers()] });
    expectTypeOf(client.parse("gopher://h/")).toEqualTypeOf<GopherUrl<"gopher">>();
    expectTypeOf(client.parse("gophers://h/")).toEqualTypeOf<GopherUrl<"gophers">>();
    expectTypeOf(() => client.dereference("gopher://h/")).returns.resolves.toEqualTypeOf<
      | ContentResource
      | GopherAttributesResource
      | DirectoryResource<GopherEntry>
      | GopherFormResource<"gopher">
    >();
    expect(client.parse("gopher://h/0a").selector).toBe("a");
  });
});
