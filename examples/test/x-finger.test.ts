import "@abraham/reflection";
import { readFile } from "node:fs/promises";
import { createClient, anyAddress } from "@anyscheme/core";
import { describeScheme, type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import {
  CLIENT_TSYRINGE_TOKEN,
  POLICY_TSYRINGE_TOKEN,
  registerClientInTsyringe,
  registerSchemeInTsyringe,
} from "@anyscheme/core/tsyringe";
import { xFinger } from "@anyscheme/examples/x-finger";
import { container as root } from "tsyringe";
import { describe, expect, expectTypeOf, it } from "vitest";

function startFinger(): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    const user = await peer.readLine();
    peer.send(`Login: ${user}\r\nPlan: to conquer the field\r\n`);
  });
}

describeScheme({ describe, it }, "x-finger", {
  scheme: xFinger,
  valid: [
    "x-finger://host.dom/bob",
    "x-finger://host.dom:7979/",
    "x-finger://host.dom",
    "x-finger://10.0.0.1/a%20b",
  ],
  invalid: ["x-finger://host.dom/\\", "x-finger//host.dom", "finger://host.dom/bob"],
  skip: { missing: "a finger server answers for every name" },
  async serve() {
    const server = await startFinger();
    return {
      port: server.port,
      url: (port) => `x-finger://127.0.0.1:${port}/bob`,
      bytes: Buffer.from("Login: bob\r\nPlan: to conquer the field\r\n"),
      stop: () => server.stop(),
    };
  },
});

describe("the example scheme x-finger", () => {
  it.each([
    ["x-finger://[2001:db8::1]/bob", "2001:db8::1"],
    ["x-finger://bücher.example/bob", "xn--bcher-kva.example"],
  ])("the plan of %s connects to the host %s", (url, host) => {
    const { steps } = createClient({ schemes: [xFinger()] }).plan(url);
    expect(steps.find(({ action }) => action === "connect")?.target).toMatchObject({ host, port: 79 });
  });

  it("a client created with the x-finger scheme dereferences an x-finger URL", async () => {
    await using server = await startFinger();
    await using client = createClient({
      schemes: [xFinger()],
      policy: anyAddress({ allowPorts: { "x-finger": [server.port] } }),
    });
    const answer = await client.dereference(`x-finger://127.0.0.1:${server.port}/al%20ice`);
    expect(await answer.text()).toBe("Login: al ice\r\nPlan: to conquer the field\r\n");
    expect(server.connections[0]?.received.toString()).toBe("al ice\r\n");
  });

  it("a client of a tsyringe container dereferences an x-finger URL after the scheme is registered", async () => {
    await using server = await startFinger();
    const container = root.createChildContainer();
    registerSchemeInTsyringe(container, xFinger());
    registerClientInTsyringe(container);
    container.register(POLICY_TSYRINGE_TOKEN, {
      useValue: anyAddress({ allowPorts: { "x-finger": [server.port] } }),
    });
    await using client = container.resolve(CLIENT_TSYRINGE_TOKEN);
    expect(container.resolve(CLIENT_TSYRINGE_TOKEN)).toBe(client);
    const answer = await client.dereference(`x-finger://127.0.0.1:${server.port}/bob`);
    expect(answer.kind === "content" && (await answer.text())).toContain("Login: bob");
  });

  it("client.parse of a literal x-finger URL returns the URL type of the scheme", () => {
    const client = createClient({ schemes: [xFinger()] });
    expectTypeOf(client.parse("x-finger://host.dom/bob").scheme).toEqualTypeOf<"x-finger">();
    expect(client.parse("X-Finger://host.dom/bob").urlPath).toBe("bob");
  });

  it("an x-finger URL with another port is refused unless the policy allows the port", async () => {
    await using server = await startFinger();
    await using client = createClient({ schemes: [xFinger()], policy: anyAddress() });
    await expect(client.dereference(`x-finger://127.0.0.1:${server.port}/bob`)).rejects.toMatchObject({
      code: "refused-port",
    });
    expect(server.connections).toEqual([]);
  });

  it("the README shows the code of the x-finger example unchanged", async () => {
    const [readme, source] = await Promise.all(
      ["../../README.md", "../src/x-finger.ts"].map((path) =>
        readFile(new URL(path, import.meta.url), "utf8"),
      ),
    );
    expect(readme).toContain(source);
  });
});
