import { createClient, type Limits, anyAddress } from "@anyscheme/core";
import { startScriptedServer, startTripwire } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { gopher } from "../src/index.ts";
import { access, answering, body, clientFor, entries, failure, pouring } from "./serving.ts";

const line = (name: string): string => `0${name}\t/${name}\th\t70\r\n`;

describe("a menu under a limit", () => {
  const three = line("a") + line("b") + line("c");
  const rows: [name: keyof Limits, limit: number, given: number][] = [
    ["maxListingEntries", 2, 2],
    ["maxListingEntries", 3, 3],
    ["maxListingBytes", three.length - 1, 2],
    ["maxListingBytes", three.length, 3],
    ["maxListingBytes", 2 * line("a").length, 2],
    ["maxGopherLineBytes", line("a").length - 3, 0],
    ["maxGopherLineBytes", line("a").length - 2, 3],
  ];

  it.each(rows)("%s = %i gives %i entries and names the limit", async (name, limit, given) => {
    for (const pieces of [three, three.split("")]) {
      await using server = await answering(pieces);
      const { entries: found, fault } = await entries(
        await access(server, "1", { limits: { [name]: limit } }),
      );
      expect(found.map((entry) => entry.name)).toEqual(["a", "b", "c"].slice(0, given));
      expect(fault).toEqual(given === 3 ? undefined : failure("limit", new RegExp(name)));
    }
  });

  it("of as many items and as long a line as the limits let through by themselves is whole", async () => {
    const longest = `0${"x".repeat(4096 - line("").length + 2)}\t/\th\t70\r\n`;
    await using server = await answering(longest + line("a").repeat(99_999));
    const { entries: found, fault } = await entries(await access(server, "1"));
    expect([found.length, fault]).toEqual([100_000, undefined]);
    expect(found[0]?.kind).toBe("text");
  });

  it.each([
    ["maxListingEntries", line("a").repeat(100_001), 100_000],
    ["maxGopherLineBytes", `${line("a")}0${"x".repeat(4097)}\r\n`, 1],
  ])("%s by default is given up there", async (name, menu, given) => {
    await using server = await answering(menu);
    const { entries: found, fault } = await entries(await access(server, "1"));
    expect([found.length, fault]).toEqual([given, failure("limit", new RegExp(name))]);
  });

  it("ends when its server does not", async () => {
    await using server = await pouring("", line("x").repeat(1000));
    const { entries: found, fault } = await entries(
      await access(server, "1", { limits: { maxListingEntries: 5000 } }),
    );
    expect(found).toHaveLength(5000);
    expect(fault).toEqual(failure("limit", /maxListingEntries/));
    await server.connections[0]?.closed;
  });
});

describe("a server that", () => {
  // A reset that arrives together with data is reported as an end by the operating system's event loop, so it comes later here.
  it.each([
    ["a menu", "1", line("a"), 1],
    ["a text", "0/t", "one\r\n", 1],
    ["bytes", "9/t", "one", 1],
    ["a counted reply", "9/t%09%09+", "+100\r\nabc", 1],
    ["a reply up to a dot", "0/t%09%09+", "+-1\r\nabc\r\n", 1],
  ])("breaks %s off: what came before is given first", async (_, path, answer, given) => {
    let breakOff = (): void => undefined;
    const read = new Promise<void>((resolve) => (breakOff = resolve));
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      peer.send(answer);
      await read;
      peer.reset();
    });
    let count = 0;
    const reading = async (): Promise<void> => {
      const resource = await access(server, path);
      if (resource.kind === "form") throw new Error("it is a form");
      for await (const _piece of resource) {
        count++;
        breakOff();
      }
    };
    await expect(reading()).rejects.toThrow(failure("incomplete"));
    expect(count).toBe(given);
  });

  it("announces more bytes than it sends", async () => {
    await using server = await answering("+100\r\nabc");
    await expect(body(await access(server, "9/t%09%09+"))).rejects.toThrow(
      failure("incomplete", /97 bytes before the 100/),
    );
  });

  it("never answers", async () => {
    await using server = await answering("", "stay");
    const refused = access(server, "0/t", { limits: { firstByteTimeoutMs: 30 } });
    await expect(refused).rejects.toThrow(failure("timeout", /firstByteTimeoutMs/));
    await server.connections[0]?.closed;
  });

  it("falls silent in a text", async () => {
    await using server = await answering("one\r\n", "stay");
    const resource = await access(server, "0/t", { limits: { idleTimeoutMs: 30 } });
    await expect(body(resource)).rejects.toThrow(failure("timeout", /idleTimeoutMs/));
    await server.connections[0]?.closed;
  });

  it("falls silent in a menu", async () => {
    await using server = await answering(line("a"), "stay");
    const { entries: found, fault } = await entries(
      await access(server, "1", { limits: { idleTimeoutMs: 30 } }),
    );
    expect(found).toHaveLength(1);
    expect(fault).toEqual(failure("timeout", /idleTimeoutMs/));
  });

  it("falls silent in what may be an error message", async () => {
    await using server = await answering("3Go", "stay");
    const refused = access(server, "0/t", { limits: { idleTimeoutMs: 30 } });
    await expect(refused).rejects.toThrow(failure("timeout", /idleTimeoutMs/));
  });

  it("falls silent in the head of a reply", async () => {
    await using server = await answering("+-", "stay");
    const refused = access(server, "0/t%09%09+", { limits: { idleTimeoutMs: 30 } });
    await expect(refused).rejects.toThrow(failure("timeout", /idleTimeoutMs/));
  });

  it("never ends an error message", async () => {
    await using server = await pouring("--1\r\n1 Admin\r\n", "No. ".repeat(1000));
    await expect(access(server, "0/t%09%09+")).rejects.toThrow(failure("not-found", /No\. No\./));
    await server.connections[0]?.closed;
  });
});

describe("a type that contradicts the content", () => {
  const gif = "GIF89a\0\x01\n.\n\xff";
  const page = "<html>\r\n<p>one\ttwo\r\n</html>\r\n";

  it.each([
    ["0/x.gif", gif],
    ["h/x", gif],
    ["I/x.png", page],
    ["9/x", line("a")],
    ["0/x", `${line("a")}${line("b")}`],
    ["0/x%09%09+image/gif", page],
  ])("loses nothing: %s", async (path, content) => {
    await using server = await answering(content);
    expect((await body(await access(server, path)))[0]).toBe(content);
  });

  it.each([
    [page, ["<html>", "<p>one", "</html>"]],
    ["just a text\n", ["just a text"]],
    ["\0\x01\x02\n\xff", ["\0\x01\x02", "\xff"]],
  ])("is a menu of faulty lines: %j", async (content, begins) => {
    await using server = await answering(content);
    const { entries: found, fault } = await entries(await access(server, "1/x"));
    expect(fault).toBeUndefined();
    expect(found).toHaveLength(begins.length);
    for (const [index, { kind, name, fault: why }] of found.entries())
      expect([kind, begins[index]?.endsWith(name), why]).toEqual([
        "info",
        true,
        expect.stringMatching(/^the line/),
      ]);
  });

  it("is bounded: bytes without lines for a menu", async () => {
    await using server = await pouring("", "\0".repeat(10_000));
    const { entries: found, fault } = await entries(await access(server, "1/x"));
    expect([found, fault]).toEqual([[], failure("limit", /maxGopherLineBytes/)]);
    await server.connections[0]?.closed;
  });
});

describe("an abort leaves no connection", () => {
  const waits = async (path: string, answer: string): Promise<void> => {
    const controller = new AbortController();
    let answered = (): void => undefined;
    const asked = new Promise<void>((resolve) => (answered = resolve));
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      if (answer !== "") peer.send(answer);
      answered();
      await peer.closed;
    });
    const { signal } = controller;
    const access = clientFor(server.port).dereference(`gopher://127.0.0.1:${server.port}/${path}`, {
      signal,
    });
    await asked;
    if (answer === "") controller.abort();
    const reading = access.then((resource) => {
      const read =
        resource.kind === "content"
          ? body(resource)
          : entries(resource).then(({ fault }) => Promise.reject(fault as Error));
      controller.abort();
      return read;
    });
    await expect(reading).rejects.toThrow(failure("aborted"));
    await server.connections[0]?.closed;
  };

  it.each([
    ["before the answer", "0/t", ""],
    ["within a text", "0/t", "one\r\n"],
    ["within bytes", "9/t", "one"],
    ["within a menu", "1", line("a")],
    ["within a counted reply", "0/t%09%09+", "+100\r\nabc"],
    ["within a reply up to a dot", "0/t%09%09+", "+-1\r\nabc\r\n"],
  ])("%s", (_, path, answer) => waits(path, answer));

  it("while the name is looked up", async () => {
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
    await expect(access).rejects.toThrow(failure("aborted"));
  });

  it("while it connects", async () => {
    await using server = await startTripwire();
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
    await expect(access).rejects.toThrow(failure("aborted"));
    await Promise.all(server.connections.map(({ closed }) => closed));
  });
});

describe("the port rule", () => {
  const client = createClient({ schemes: [gopher()], policy: anyAddress() });

  it("refuses a port that nobody allowed, and the server there receives nothing", async () => {
    await using server = await startTripwire();
    const attack = `gopher://127.0.0.1:${server.port}/_HELO%20x`;
    await expect(client.dereference(attack)).rejects.toThrow(failure("refused-port", /allowPorts/));
    expect(server.connections).toHaveLength(0);
  });

  it.each([0, 1, 21, 25, 69, 71, 80, 443, 1023, 6000, 6379, 6667, 65_535])(
    "refuses port %i",
    async (port) => {
      await expect(client.dereference(`gopher://127.0.0.1:${port}/`)).rejects.toThrow(
        failure("refused-port"),
      );
    },
  );

  it("comes after the bytes: an injection is refused as such, on an allowed port too", async () => {
    await using server = await startTripwire();
    for (const path of [
      "_SET%20owned%20yes%0D%0AQUIT",
      "_x%0AQUIT",
      "_x%00",
      "7s%09x%0D%0AQUIT",
      "0s%09%09+%0D%0AQUIT%0D%0A",
    ]) {
      const access = clientFor(server.port).dereference(`gopher://127.0.0.1:${server.port}/${path}`, {
        allowForms: true,
      });
      await expect(access).rejects.toThrow(failure("refused-characters"));
    }
    expect(server.connections).toHaveLength(0);
  });
});
