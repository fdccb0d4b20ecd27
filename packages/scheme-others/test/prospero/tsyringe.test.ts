import "@abraham/reflection";
import { createClient, type Resource } from "@anyscheme/core";
import { CLIENT_TSYRINGE_TOKEN, registerClientInTsyringe } from "@anyscheme/core/tsyringe";
import { prospero, type ProsperoUrl } from "@anyscheme/scheme-others/prospero";
import { registerProsperoInTsyringe } from "@anyscheme/scheme-others/prospero/tsyringe";
import { container } from "tsyringe";
import { describe, expect, expectTypeOf, it } from "vitest";

describe("callers can register the scheme prospero", () => {
  it("registerProsperoInTsyringe registers the scheme prospero with its options in a tsyringe container", () => {
    const child = container.createChildContainer();
    registerProsperoInTsyringe(child, { user: "joe" });
    registerClientInTsyringe(child);
    const client = child.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(client.schemes).toEqual(["prospero"]);
    const [, , send] = client.plan("prospero://h.example/x").steps;
    expect(Buffer.from(send?.bytes ?? []).toString()).toContain("UNAUTHENTICATED joe\n");
  });

  it("TypeScript infers that a literal prospero URL may have any kind of resource", () => {
    const client = createClient({ schemes: [prospero()] });
    expectTypeOf(client.parse("prospero://h/")).toEqualTypeOf<ProsperoUrl>();
    expectTypeOf(() => client.dereference("prospero://h/")).returns.resolves.toEqualTypeOf<Resource>();
    expect(client.parse("prospero://h//x").hsoname).toBe("/x");
  });
});
