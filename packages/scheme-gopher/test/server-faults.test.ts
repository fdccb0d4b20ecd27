import { createClient, type ClientLimits, anyAddress } from "@anyscheme/core";
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { gopher } from "../src/index.ts";
import {
  dereferenceAndCheckRequest,
  startGopherServer,
  readBodyTextAndCompleteness,
  createGopherClient,
  readMenuEntriesUntilFailure,
  matchErrorWithCode,
  startEndlessGopherServer,
} from "./scripted-gopher-server.ts";

const formatMenuLine = (name: string): string => `0${name}\t/${name}\th\t70\r\n`;

describe("the client enforces the limits of a Gopher menu", () => {
  const three = formatMenuLine("a") + formatMenuLine("b") + formatMenuLine("c");
  const rows: [name: keyof ClientLimits, limit: number, count: number][] = [
    ["maxListingEntries", 2, 2],
    ["maxListingEntries", 3, 3],
    ["maxListingBytes", three.length - 1, 2],
    ["maxListingBytes", three.length, 3],
    ["maxListingBytes", 2 * formatMenuLine("a").length, 2],
    ["maxGopherLineBytes", formatMenuLine("a").length - 3, 0],
    ["maxGopherLineBytes", formatMenuLine("a").length - 2, 3],
  ];

  it.each(rows)(
    "a client with the limit %s = %i yields %i of three menu entries, and reports entries above the limit",
    async (name, limit, expectedCount) => {
      for (const chunks of [three, three.split("")]) {
        await using server = await startGopherServer(chunks);
        const { entries: found, fault } = await readMenuEntriesUntilFailure(
          await dereferenceAndCheckRequest(server, "1", { limits: { [name]: limit } }),
        );
        expect(found.map((entry) => entry.name)).toEqual(["a", "b", "c"].slice(0, expectedCount));
        expect(fault).toEqual(
          expectedCount === 3 ? undefined : matchErrorWithCode("limit", new RegExp(name)),
        );
      }
    },
  );

  it("the client reads a menu of the maximum size completely under the default limits", async () => {
    const longest = `0${"x".repeat(4096 - formatMenuLine("").length + 2)}\t/\th\t70\r\n`;
    await using server = await startGopherServer(longest + formatMenuLine("a").repeat(99_999));
    const { entries: found, fault } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(server, "1"),
    );
    expect([found.length, fault]).toEqual([100_000, undefined]);
    expect(found[0]?.kind).toBe("text");
  });

  it.each([
    ["maxListingEntries", formatMenuLine("a").repeat(100_001), 100_000],
    ["maxGopherLineBytes", `${formatMenuLine("a")}0${"x".repeat(4097)}\r\n`, 1],
  ])(
    "the client fails for a menu above the default value of the limit %s",
    async (name, menu, expectedCount) => {
      await using server = await startGopherServer(menu);
      const { entries: found, fault } = await readMenuEntriesUntilFailure(
        await dereferenceAndCheckRequest(server, "1"),
      );
      expect([found.length, fault]).toEqual([expectedCount, matchErrorWithCode("limit", new RegExp(name))]);
    },
  );

  it("the client ends an endless menu at the limit maxListingEntries", async () => {
    await using server = await startEndlessGopherServer("", formatMenuLine("x").repeat(1000));
    const { entries: found, fault } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(server, "1", { limits: { maxListingEntries: 5000 } }),
    );
    expect(found).toHaveLength(5000);
    expect(fault).toEqual(matchErrorWithCode("limit", /maxListingEntries/));
    await server.connections[0]?.closed;
  });
});

describe("the client reports a faulty Gopher server", () => {
  // The server resets the connection only after the client has read the bytes. Node.js reports a reset that arrives
  // together with data as an end.
  it.each([
    ["a menu", "1", formatMenuLine("a"), 1],
    ["a text", "0/t", "one\r\n", 1],
    ["bytes", "9/t", "one", 1],
    ["a reply that states its length", "9/t%09%09+", "+100\r\nabc", 1],
    ["a reply that ends with a dot", "0/t%09%09+", "+-1\r\nabc\r\n", 1],
  ])(
    "the client receives the bytes that the server sends before it resets the connection within %s",
    async (_, path, response, expectedCount) => {
      let resetConnection = (): void => undefined;
      const read = new Promise<void>((resolve) => (resetConnection = resolve));
      await using server = await startScriptedServer(async (peer) => {
        await peer.readLine();
        peer.send(response);
        await read;
        peer.reset();
      });
      let count = 0;
      const reading = async (): Promise<void> => {
        const resource = await dereferenceAndCheckRequest(server, path);
        if (resource.kind === "form") throw new Error("it is a form");
        for await (const _piece of resource) {
          count++;
          resetConnection();
        }
      };
      await expect(reading()).rejects.toThrow(matchErrorWithCode("incomplete"));
      expect(count).toBe(expectedCount);
    },
  );

  it("the client fails when the Gopher server sends fewer bytes than it announced", async () => {
    await using server = await startGopherServer("+100\r\nabc");
    await expect(
      readBodyTextAndCompleteness(await dereferenceAndCheckRequest(server, "9/t%09%09+")),
    ).rejects.toThrow(matchErrorWithCode("incomplete", /97 bytes before the end of 100/));
  });

  it("the client fails at the time limit when the Gopher server never responds", async () => {
    await using server = await startGopherServer("", "stay");
    const refused = dereferenceAndCheckRequest(server, "0/t", { limits: { firstByteTimeoutMs: 30 } });
    await expect(refused).rejects.toThrow(matchErrorWithCode("timeout", /firstByteTimeoutMs/));
    await server.connections[0]?.closed;
  });

  it("the client fails at the time limit when the server stops sending within a text", async () => {
    await using server = await startGopherServer("one\r\n", "stay");
    const resource = await dereferenceAndCheckRequest(server, "0/t", { limits: { idleTimeoutMs: 30 } });
    await expect(readBodyTextAndCompleteness(resource)).rejects.toThrow(
      matchErrorWithCode("timeout", /idleTimeoutMs/),
    );
    await server.connections[0]?.closed;
  });

  it("the client fails at the time limit when the server stops sending within a menu", async () => {
    await using server = await startGopherServer(formatMenuLine("a"), "stay");
    const { entries: found, fault } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(server, "1", { limits: { idleTimeoutMs: 30 } }),
    );
    expect(found).toHaveLength(1);
    expect(fault).toEqual(matchErrorWithCode("timeout", /idleTimeoutMs/));
  });

  it("the client fails at the time limit when the server stops sending within a possible error message", async () => {
    await using server = await startGopherServer("3Go", "stay");
    const refused = dereferenceAndCheckRequest(server, "0/t", { limits: { idleTimeoutMs: 30 } });
    await expect(refused).rejects.toThrow(matchErrorWithCode("timeout", /idleTimeoutMs/));
  });

  it("the client fails at the time limit when the server stops sending within the header of a reply", async () => {
    await using server = await startGopherServer("+-", "stay");
    const refused = dereferenceAndCheckRequest(server, "0/t%09%09+", { limits: { idleTimeoutMs: 30 } });
    await expect(refused).rejects.toThrow(matchErrorWithCode("timeout", /idleTimeoutMs/));
  });

  it("the client ends an endless error message of the server", async () => {
    await using server = await startEndlessGopherServer("--1\r\n1 Admin\r\n", "No. ".repeat(1000));
    await expect(dereferenceAndCheckRequest(server, "0/t%09%09+")).rejects.toThrow(
      matchErrorWithCode("not-found", /No\. No\./),
    );
    await server.connections[0]?.closed;
  });
});

describe("the client reads content that does not match its Gopher item type", () => {
  const gif = "GIF89a\0\x01\n.\n\xff";
  const page = "<html>\r\n<p>one\ttwo\r\n</html>\r\n";

  it.each([
    ["0/x.gif", gif],
    ["h/x", gif],
    ["I/x.png", page],
    ["9/x", formatMenuLine("a")],
    ["0/x", `${formatMenuLine("a")}${formatMenuLine("b")}`],
    ["0/x%09%09+image/gif", page],
  ])(
    "the client returns all bytes of content that does not match the item type in the path %s",
    async (path, content) => {
      await using server = await startGopherServer(content);
      expect((await readBodyTextAndCompleteness(await dereferenceAndCheckRequest(server, path)))[0]).toBe(
        content,
      );
    },
  );

  it.each([
    [page, ["<html>", "<p>one", "</html>"]],
    ["just a text\n", ["just a text"]],
    ["\0\x01\x02\n\xff", ["\0\x01\x02", "\xff"]],
  ])(
    "the client yields entries with a fault for the lines of the content %j, which is no menu",
    async (content, begins) => {
      await using server = await startGopherServer(content);
      const { entries: found, fault } = await readMenuEntriesUntilFailure(
        await dereferenceAndCheckRequest(server, "1/x"),
      );
      expect(fault).toBeUndefined();
      expect(found).toHaveLength(begins.length);
      for (const [index, { kind, name, fault: why }] of found.entries())
        expect([kind, begins[index]?.endsWith(name), why]).toEqual([
          "info",
          true,
          expect.stringMatching(/^the menu line/),
        ]);
    },
  );

  it("the client fails at the limit maxGopherLineBytes for a menu without line ends", async () => {
    await using server = await startEndlessGopherServer("", "\0".repeat(10_000));
    const { entries: found, fault } = await readMenuEntriesUntilFailure(
      await dereferenceAndCheckRequest(server, "1/x"),
    );
    expect([found, fault]).toEqual([[], matchErrorWithCode("limit", /maxGopherLineBytes/)]);
    await server.connections[0]?.closed;
  });
});

describe("an abort closes the connection of a Gopher request", () => {
  const waits = async (path: string, response: string): Promise<void> => {
    const controller = new AbortController();
    let answered = (): void => undefined;
    const requested = new Promise<void>((resolve) => (answered = resolve));
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      if (response !== "") peer.send(response);
      answered();
      await peer.closed;
    });
    const { signal } = controller;
    const access = createGopherClient(server.port).dereference(`gopher://127.0.0.1:${server.port}/${path}`, {
      signal,
    });
    await requested;
    if (response === "") controller.abort();
    const reading = access.then((resource) => {
      const read =
        resource.kind === "content"
          ? readBodyTextAndCompleteness(resource)
          : readMenuEntriesUntilFailure(resource).then(({ fault }) => Promise.reject(fault as Error));
      controller.abort();
      return read;
    });
    await expect(reading).rejects.toThrow(matchErrorWithCode("aborted"));
    await server.connections[0]?.closed;
  };

  it.each([
    ["a request that is aborted before the response", "0/t", ""],
    ["a request that is aborted within a text", "0/t", "one\r\n"],
    ["a request that is aborted within binary data", "9/t", "one"],
    ["a request that is aborted within a menu", "1", formatMenuLine("a")],
    ["a request that is aborted within a reply that states its length", "0/t%09%09+", "+100\r\nabc"],
    ["a request that is aborted within a reply that ends with a dot", "0/t%09%09+", "+-1\r\nabc\r\n"],
  ])("the client closes the connection of %s", (_, path, response) => waits(path, response));

  it("the client rejects a request that is aborted during the DNS lookup", async () => {
    const controller = new AbortController();
    const client = createClient({
      schemes: [gopher()],
      policy: anyAddress(),
      resolver: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    const access = client.dereference("gopher://h.example/", { signal: controller.signal });
    await expect(access).rejects.toThrow(matchErrorWithCode("aborted"));
  });

  it("the client closes the connection of a request that is aborted while it connects", async () => {
    await using server = await startForbiddenServer();
    const controller = new AbortController();
    const client = createClient({
      schemes: [gopher()],
      policy: anyAddress({
        confirmPort: () => {
          setImmediate(() => controller.abort());
          return true;
        },
      }),
    });
    const access = client.dereference(`gopher://127.0.0.1:${server.port}/`, { signal: controller.signal });
    await expect(access).rejects.toThrow(matchErrorWithCode("aborted"));
    await Promise.all(server.connections.map(({ closed }) => closed));
  });
});

describe("the policy permits only some ports in gopher URLs", () => {
  const client = createClient({ schemes: [gopher()], policy: anyAddress() });

  it("the client opens no connection to a port that the policy does not allow", async () => {
    await using server = await startForbiddenServer();
    const attack = `gopher://127.0.0.1:${server.port}/_HELO%20x`;
    await expect(client.dereference(attack)).rejects.toThrow(
      matchErrorWithCode("refused-port", /allowPorts/),
    );
    expect(server.connections).toHaveLength(0);
  });

  it.each([0, 1, 21, 25, 69, 71, 80, 443, 1023, 6000, 6379, 6667, 65_535])(
    "the client refuses a gopher URL with the port %i",
    async (port) => {
      await expect(client.dereference(`gopher://127.0.0.1:${port}/`)).rejects.toThrow(
        matchErrorWithCode("refused-port"),
      );
    },
  );

  it("the client refuses a gopher URL with an injected line end even on an allowed port", async () => {
    await using server = await startForbiddenServer();
    for (const path of [
      "_SET%20owned%20yes%0D%0AQUIT",
      "_x%0AQUIT",
      "_x%00",
      "7s%09x%0D%0AQUIT",
      "0s%09%09+%0D%0AQUIT%0D%0A",
    ]) {
      const access = createGopherClient(server.port).dereference(
        `gopher://127.0.0.1:${server.port}/${path}`,
        {
          allowForms: true,
        },
      );
      await expect(access).rejects.toThrow(matchErrorWithCode("refused-characters"));
    }
    expect(server.connections).toHaveLength(0);
  });
});
