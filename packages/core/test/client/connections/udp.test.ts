import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { createPlan, createStep, type Endpoint } from "../../../src/scheme/plan.ts";
import { type Policy, publicInternet, anyAddress } from "../../../src/policy/policy.ts";
import type { AccessContext, DatagramSocket } from "../../../src/scheme/context.ts";
import type { Resource } from "../../../src/scheme/resource.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { createGenericSyntax } from "../../../src/syntax/index.ts";
import type { AccessError } from "../../../src/errors/access-error.ts";
import { catchAccessError } from "../../catch-access-error.ts";

const servers: Socket[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function startSilentUdpServer(address = "127.0.0.1"): Promise<Endpoint> {
  const socket = createSocket("udp4");
  servers.push(socket);
  socket.bind(0, address);
  await once(socket, "listening");
  return { host: address, port: socket.address().port };
}

/** Creates a scheme with the given access method. */
function createSchemeWithAccess(work: (context: AccessContext) => Promise<Resource>): Scheme {
  return {
    name: "x-udp",
    syntax: createGenericSyntax({ schemes: ["x-udp"] }),
    portRange: "unprivileged",
    plan: (url) => createPlan(url, [createStep("transfer", "-", "something")]),
    access: (_plan, context) => work(context),
  };
}

function accessWithPolicy(
  work: (context: AccessContext) => Promise<Resource>,
  policy: Policy,
): Promise<Resource> {
  const answers: Record<string, string[]> = {
    "public.example": ["8.8.8.8"],
    "private.example": ["127.0.0.1"],
  };
  return createClient<Scheme>({
    schemes: [createSchemeWithAccess(work)],
    policy,
    resolver: (name) => Promise.resolve(answers[name] ?? []),
  }).dereference("x-udp://h/");
}

describe("a request closes its datagram socket", () => {
  it("the end of a request closes its datagram socket and rejects a pending receive", async () => {
    const target = await startSilentUdpServer();
    let peer: DatagramSocket | undefined;
    const resource = await accessWithPolicy(async (context) => {
      peer = await context.openDatagramSocket(target);
      return context.createDirectory({
        entries: { [Symbol.asyncIterator]: () => [][Symbol.iterator]() as never },
      });
    }, anyAddress());
    const waiting = catchAccessError(peer?.receive() ?? Promise.resolve());
    await resource.close();
    expect((await waiting).code).toBe("aborted");
    expect((await catchAccessError(peer?.send(Buffer.from("x")) ?? Promise.resolve())).code).toBe("aborted");
  });

  it("the failure of a request closes its datagram socket", async () => {
    const target = await startSilentUdpServer();
    let peer: DatagramSocket | undefined;
    await catchAccessError(
      accessWithPolicy(async (context) => {
        peer = await context.openDatagramSocket(target);
        throw new Error("something else");
      }, anyAddress()),
    );
    expect((await catchAccessError(peer?.receive() ?? Promise.resolve())).code).toBe("plugin");
    expect((await catchAccessError(peer?.send(Buffer.from("x")) ?? Promise.resolve())).code).toBe("aborted");
  });
});

describe("the policy for a datagram server that another server has named", () => {
  const onward = publicInternet({ strictPorts: true });
  const rows: [
    what: string,
    first: string | undefined,
    next: string,
    policy: Policy,
    code: string | undefined,
  ][] = [
    [
      "a server at a private address that names a private address",
      "127.0.0.1",
      "127.0.0.1",
      anyAddress({ redirectPolicy: onward }),
      undefined,
    ],
    [
      "a server with a private name that names a private address",
      "private.example",
      "127.0.0.1",
      anyAddress({ redirectPolicy: onward }),
      undefined,
    ],
    [
      "a server at a public address that names a private address",
      "8.8.8.8",
      "127.0.0.1",
      anyAddress({ redirectPolicy: publicInternet() }),
      "refused-address",
    ],
    [
      "a server with a public name that names a private address",
      "public.example",
      "127.0.0.1",
      anyAddress({ redirectPolicy: publicInternet() }),
      "refused-address",
    ],
    [
      "a server at a public address that names a refused port",
      "8.8.8.8",
      "8.8.8.8",
      anyAddress({ redirectPolicy: onward }),
      "refused-port",
    ],
    [
      "a server at a private address that names a refused port of a public address",
      "127.0.0.1",
      "8.8.8.8",
      anyAddress({ redirectPolicy: onward }),
      "refused-port",
    ],
    [
      "a server at a private address that names a public address, with anyAddress()",
      "127.0.0.1",
      "8.8.8.8",
      anyAddress(),
      undefined,
    ],
    [
      "a request without a previous server that names a private address",
      undefined,
      "127.0.0.1",
      anyAddress({ redirectPolicy: publicInternet() }),
      "refused-address",
    ],
    [
      "a server at a public address that names a private address, with anyAddress()",
      "8.8.8.8",
      "127.0.0.1",
      anyAddress(),
      undefined,
    ],
    [
      "a server at a public address that names a private host name",
      "8.8.8.8",
      "localhost",
      publicInternet({ allowPorts: {} }),
      "refused-name",
    ],
  ];
  it.each(rows)(
    "openDatagramSocket with targetSentByServer: true checks the target by the redirect rules: %s",
    async (_what, first, next, policy, code) => {
      const { port } = await startSilentUdpServer();
      const work = accessWithPolicy(async (context) => {
        // The test sends nothing. The guard checks a public address even without a route to the address.
        if (first !== undefined)
          await context.openDatagramSocket({ host: first, port }).catch(() => undefined);
        await context.openDatagramSocket({ host: next, port }, { targetSentByServer: true });
        return context.createDirectory({
          entries: { [Symbol.asyncIterator]: () => [][Symbol.iterator]() as never },
        });
      }, policy);
      const outcome = await work.then(
        (resource) => resource.close(),
        (error: unknown) => (error as AccessError).code,
      );
      expect(outcome === "unavailable" ? undefined : outcome).toBe(code);
    },
  );
});
