import "@abraham/reflection";
import {
  CLIENT_OPTIONS_TSYRINGE_TOKEN,
  CLIENT_TSYRINGE_TOKEN,
  CREDENTIALS_TSYRINGE_TOKEN,
  LIMITS_TSYRINGE_TOKEN,
  POLICY_TSYRINGE_TOKEN,
  PROXY_TSYRINGE_TOKEN,
  registerClientInTsyringe,
  registerSchemeInTsyringe,
  SCHEME_TSYRINGE_TOKEN,
} from "@anyscheme/core/tsyringe";
import { registerFtpInTsyringe } from "@anyscheme/scheme-ftp/tsyringe";
import { registerGopherInTsyringe } from "@anyscheme/scheme-gopher/tsyringe";
import { registerHttpInTsyringe } from "@anyscheme/scheme-http/tsyringe";
import { registerFileInTsyringe } from "@anyscheme/scheme-others/tsyringe";
import { container as root, type DependencyContainer } from "tsyringe";
import { describe, expect, it } from "vitest";
import { anyAddress, publicInternet } from "../src/index.ts";
import { createPathLineScheme } from "./client/test-schemes.ts";

const createTestContainer = (): DependencyContainer => root.createChildContainer();

describe("a client from a tsyringe container", () => {
  it("a client from a tsyringe container has every registered scheme", () => {
    const container = createTestContainer();
    registerFtpInTsyringe(container);
    registerHttpInTsyringe(container);
    registerGopherInTsyringe(container);
    registerFileInTsyringe(container, { root: "/nowhere" });
    registerSchemeInTsyringe(container, createPathLineScheme("x-line"));
    registerClientInTsyringe(container);
    expect(container.resolve(CLIENT_TSYRINGE_TOKEN).schemes).toEqual([
      "ftp",
      "http",
      "https",
      "gopher",
      "gophers",
      "file",
      "x-line",
    ]);
  });

  it("the container creates the client once, at the first resolve, from the schemes that are registered by then", () => {
    const container = createTestContainer();
    registerClientInTsyringe(container);
    registerSchemeInTsyringe(container, createPathLineScheme("x-late"));
    const client = container.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(client.schemes).toEqual(["x-late"]);
    registerSchemeInTsyringe(container, createPathLineScheme("x-later"));
    expect(container.resolve(CLIENT_TSYRINGE_TOKEN)).toBe(client);
    expect(client.schemes).toEqual(["x-late"]);
  });

  it("a client from a tsyringe container without schemes rejects every URL with unknown-scheme", async () => {
    const container = createTestContainer();
    registerClientInTsyringe(container);
    await expect(
      container.resolve(CLIENT_TSYRINGE_TOKEN).dereference("x-line://host.dom/"),
    ).rejects.toMatchObject({
      code: "unknown-scheme",
      advice: expect.stringContaining("no scheme is registered") as string,
    });
  });

  it("a client from a tsyringe container uses the proxy of the container", async () => {
    const container = createTestContainer();
    registerSchemeInTsyringe(container, createPathLineScheme("x-line"));
    registerClientInTsyringe(container);
    container.register(POLICY_TSYRINGE_TOKEN, { useValue: anyAddress() });
    container.register(PROXY_TSYRINGE_TOKEN, { useValue: "http://127.0.0.1:22" });
    await expect(
      container.resolve(CLIENT_TSYRINGE_TOKEN).dereference("x-line://127.0.0.1:7999/"),
    ).rejects.toMatchObject({
      code: "refused-port",
      reason: expect.stringContaining("the proxy http://127.0.0.1:22 cannot be used") as string,
    });
  });

  it("a client from a tsyringe container has the policy and limits of the container", async () => {
    const container = createTestContainer();
    registerSchemeInTsyringe(container, createPathLineScheme("x-line"));
    registerClientInTsyringe(container);
    container.register(POLICY_TSYRINGE_TOKEN, { useValue: anyAddress({ strictPorts: true }) });
    container.register(LIMITS_TSYRINGE_TOKEN, { useValue: { maxUrlLength: 30 } });
    const client = container.resolve(CLIENT_TSYRINGE_TOKEN);
    await expect(client.dereference("x-line://127.0.0.1:7999/")).rejects.toMatchObject({
      code: "refused-port",
    });
    expect(client.tryParse(`x-line://host.dom/${"a".repeat(20)}`).fault?.code).toBe("too-long");
  });

  it("a client from a tsyringe container has the options of CLIENT_OPTIONS_TSYRINGE_TOKEN, but the token of a single option takes precedence", async () => {
    const container = createTestContainer();
    const asked: string[] = [];
    registerSchemeInTsyringe(container, createPathLineScheme("x-line"));
    registerClientInTsyringe(container);
    container.register(CLIENT_OPTIONS_TSYRINGE_TOKEN, {
      useValue: {
        resolver: (host: string) => {
          asked.push(host);
          return Promise.resolve(["127.0.0.1"]);
        },
        limits: { maxUrlLength: 40 },
        policy: anyAddress(),
      },
    });
    container.register(POLICY_TSYRINGE_TOKEN, { useValue: publicInternet() });
    const client = container.resolve(CLIENT_TSYRINGE_TOKEN);
    await expect(client.dereference("x-line://host.dom:7999/")).rejects.toMatchObject({
      code: "refused-address",
    });
    expect(asked).toEqual(["host.dom"]);
    expect(client.tryParse(`x-line://host.dom/${"a".repeat(40)}`).fault?.code).toBe("too-long");
  });

  it("a client from a tsyringe container calls the credentials callback of the container", async () => {
    const container = createTestContainer();
    const asked: string[] = [];
    registerSchemeInTsyringe(container, {
      ...createPathLineScheme("x-line"),
      async access(_plan, context) {
        const question = {
          scheme: "x-line",
          host: "host.dom",
          port: 1,
          requestedSecret: "password",
        } as const;
        const answer = await context.requestCredentials(question);
        asked.push(answer?.password ?? "nothing");
        throw new Error("enough");
      },
    });
    registerClientInTsyringe(container);
    container.register(CREDENTIALS_TSYRINGE_TOKEN, { useValue: () => ({ password: "open sesame" }) });
    await container
      .resolve(CLIENT_TSYRINGE_TOKEN)
      .dereference("x-line://host.dom/")
      .catch(() => undefined);
    expect(asked).toEqual(["open sesame"]);
  });

  it("the schemes of a child container replace the schemes of its parent", () => {
    const parent = createTestContainer();
    registerSchemeInTsyringe(parent, createPathLineScheme("x-parent"));
    const child = parent.createChildContainer();
    registerSchemeInTsyringe(child, createPathLineScheme("x-child"));
    registerClientInTsyringe(child);
    expect(child.resolve(CLIENT_TSYRINGE_TOKEN).schemes).toEqual(["x-child"]);
    const heir = parent.createChildContainer();
    registerClientInTsyringe(heir);
    expect(heir.resolve(CLIENT_TSYRINGE_TOKEN).schemes).toEqual(["x-parent"]);
  });

  it("a child container of the client's container changes neither the policy nor the schemes of the client", async () => {
    const container = createTestContainer();
    registerSchemeInTsyringe(container, createPathLineScheme("x-line"));
    registerClientInTsyringe(container);
    const child = container.createChildContainer();
    child.register(POLICY_TSYRINGE_TOKEN, { useValue: anyAddress() });
    registerSchemeInTsyringe(child, createPathLineScheme("x-child"));
    const client = child.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(client).toBe(container.resolve(CLIENT_TSYRINGE_TOKEN));
    expect(client.schemes).toEqual(["x-line"]);
    await expect(client.dereference("x-line://127.0.0.1:7999/")).rejects.toMatchObject({
      code: "refused-address",
    });
  });

  it("two copies of the module have the same injection tokens", () => {
    expect(SCHEME_TSYRINGE_TOKEN).toBe(Symbol.for("anyscheme.Scheme"));
  });
});
