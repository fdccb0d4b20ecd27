import "@abraham/reflection";
import { createClient, type ContentResource } from "@anyscheme/core";
import { CLIENT_TSYRINGE_TOKEN, registerClientInTsyringe } from "@anyscheme/core/tsyringe";
import { describeScheme, type ServedTestObject } from "@anyscheme/core/testing";
import { container } from "tsyringe";
import { describe, expect, expectTypeOf, it } from "vitest";
import { wais, type WaisSearchResults, type WaisUrl } from "../../src/wais/index.ts";
import { registerWaisInTsyringe } from "../../src/wais/tsyringe.ts";
import { formatWaisTestDocumentPath, startWaisServerWithTexts } from "./wais-server.ts";

async function startWaisServer(): Promise<ServedTestObject> {
  const bytes = Buffer.from("A line.\r\n\0\xff.\r\nAnd another\n", "latin1");
  const server = await startWaisServerWithTexts({ "0 30 /a": bytes });
  const at = (localId: string) => (port: number | undefined) =>
    `wais://127.0.0.1:${port}/${formatWaisTestDocumentPath(localId)}`;
  return {
    bytes,
    port: server.port,
    url: at("0 30 /a"),
    missingUrl: at("0 30 /b"),
    stop: () => server.stop(),
  };
}

describeScheme({ describe, it }, "wais", {
  scheme: wais,
  valid: [
    "wais://host.example.org/",
    "wais://host.example.org:210/database",
    "wais://host.example.org/database?",
    "wais://host.example.org/database?two%20words;and=more",
    "wais://host.example.org/database/TEXT/document",
    "wais://host.example.org/d/TEXT/%01%01h%02%01d%03%05%30%20%30%20a%07%01%00",
    "wais://host.example.org/d/TEXT/%01%01h%02%01d%03%04%09%1B%07%7F%07%01%00",
    "wais://host.example.org/d/TEXT/107%2F1%3Dh%3B2%3Dd%3B3%3D0%200%20a%3B7%3D%00%3B",
  ],
  invalid: [
    "wais:",
    "wais:/h/d",
    "wais:///d",
    "wais://u@h/d",
    "wais://h/d/t",
    "wais://h/a\tb",
    "wais://h:x/d",
  ],
  serve: startWaisServer,
});

describe("callers can register the scheme wais", () => {
  it("registerWaisInTsyringe registers the scheme wais with its options in a tsyringe container", () => {
    const child = container.createChildContainer();
    registerWaisInTsyringe(child, { maxDocuments: 7 });
    registerClientInTsyringe(child);
    const client = child.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(client.schemes).toEqual(["wais"]);
    expect(client.plan("wais://h.example/d?w").steps.map(({ description: text }) => text)).toContain(
      'search for "w" in "d", at most 7 documents',
    );
  });

  it("TypeScript infers the resource type of a literal wais URL", () => {
    const client = createClient({ schemes: [wais()] });
    expectTypeOf(client.parse("wais://h/d")).toEqualTypeOf<WaisUrl>();
    expectTypeOf(() => client.dereference("wais://h/d")).returns.resolves.toEqualTypeOf<
      ContentResource | WaisSearchResults
    >();
    expect(client.parse("wais://h/d?w").search).toBe("w");
  });
});
