import { once } from "node:events";
import { Agent } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { startScriptedServer, watchClientSocketReads } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { startTestGateway, startGopherServer } from "../test-gateway.ts";

describe("the gateway rejects a request that is too large", () => {
  it.each([
    ["a query of 10 MB", `/?url=${"x".repeat(10_000_000)}`, {}],
    ["a path of 10 MB", `/gopher/h.example/1/${"x/".repeat(5_000_000)}`, {}],
    ["a header field of 10 MB", "/", { cookie: "x".repeat(10_000_000) }],
    [
      "20 000 header fields",
      "/",
      Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`x-${at}`, "1"])),
    ],
  ])("the gateway responds to %s with the status 431", async (_, target, headers) => {
    await using fixture = await startTestGateway([]);
    const socket = connect(fixture.gateway.port, "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => undefined);
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: localhost:${fixture.gateway.port}\r\n${fields.join("")}\r\n`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 431 /);
    socket.destroy();
    expect((await fixture.request("/")).status).toBe(200);
  });

  it("the gateway disconnects a client that never reads", async () => {
    const block = Buffer.alloc(65_536, "x");
    let noteClose = (): void => undefined;
    const closed = new Promise<void>((resolve) => (noteClose = resolve));
    // The server sends an endless response, because the size of the kernel buffers is unknown.
    const server = createServer((sender) => {
      const pour = (): void => {
        while (sender.write(block));
      };
      sender.on("error", () => undefined).on("drain", pour);
      sender.once("data", pour).once("close", noteClose);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using fixture = await startTestGateway([port], { writeTimeoutMs: 100 });
    const socket = connect(fixture.gateway.port, "127.0.0.1");
    await once(socket, "connect");
    socket.pause();
    const path = `/~raw/gopher/127.0.0.1:${port}/9/big`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${fixture.gateway.port}\r\n\r\n`);
    // The gateway must also close its connection to the server.
    await closed;
    socket.destroy();
    server.close();
  });

  it("the gateway reads a menu of 100 000 entries only up to the end of the first page", async () => {
    using connections = watchClientSocketReads();
    const line = `0${"name ".repeat(8)}\t/x\th.example\t70\r\n`;
    const block = line.repeat(1_000);
    let written = 0;
    const server = createServer((socket) => {
      const more = (): void => {
        while (written < 100 && !socket.destroyed) {
          written++;
          if (!socket.write(block)) return void socket.once("drain", more);
        }
        socket.end(".\r\n");
      };
      socket.on("error", () => undefined);
      socket.once("data", more);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using fixture = await startTestGateway([port]);
    const page = await fixture.request(`/gopher/127.0.0.1:${port}/1/`);
    expect(page.status).toBe(200);
    expect(page.text.match(/<li>/g)?.length).toBeGreaterThan(1_000);
    expect(page.text.length).toBeLessThan(400_000);
    // One page of the menu and one large read buffer together have fewer than 1 000 000 bytes.
    expect(connections.countBytesReadByClient(port)).toBeLessThan(1_000_000);
    server.close();
  });

  it("a page of a menu ends after 2 MiB of markup, with a link to the next entry", async () => {
    const name = '"'.repeat(4_000);
    const menu = Array.from({ length: 1_000 }, (_, index) => `0${index} ${name}\t/x\th.example\t70\r\n`);
    await using server = await startGopherServer({ "": `${menu.join("")}.\r\n` });
    await using fixture = await startTestGateway([server.port]);
    const path = `gopher/127.0.0.1:${server.port}/1`;
    const shown: number[] = [];
    for (let next: string | undefined = `/${path}`; next !== undefined;) {
      const { text }: { text: string } = await fixture.request(next);
      expect(text.length).toBeLessThan(2_300_000);
      shown.push(...Array.from(text.matchAll(/">(\d+) &quot;/g), ([, number]) => Number(number)));
      next = /<a href="([^"]*)">Next entries/.exec(text)?.[1];
      if (next !== undefined) expect(next).toBe(`/~page+${shown.length}/${path}`);
    }
    expect(shown).toEqual(menu.map((_, index) => index));
  });

  it("the trace of a page ends after 256 KiB of text", async () => {
    const longReply = `250-${"x".repeat(4_000)}\r\n${`${"x".repeat(4_000)}\r\n`.repeat(14)}250 end\r\n`;
    await using server = await startScriptedServer(async (peer) => {
      peer.send("220 ready\r\n");
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
        peer.send(line.startsWith("CWD") ? longReply : line.startsWith("USER") ? "230 in\r\n" : "500 no\r\n");
    });
    await using fixture = await startTestGateway([server.port]);
    const { text } = await fixture.request(`/ftp/127.0.0.1:${server.port}/${"d/".repeat(30)}`);
    expect(text).toContain("<summary>Trace</summary>");
    // Each reply has 60 kB, so the gateway stores the events up to the fifth reply.
    expect(text.match(/<code>250-x/g)).toHaveLength(5);
  });

  it("the gateway escapes control bytes in the lines of a menu", async () => {
    await using server = await startGopherServer({
      "": "iBytes \u0000\u0007\u001b[2J\u007f\u009b here\t\terror.host\t1\r\n.\r\n",
    });
    await using fixture = await startTestGateway([server.port]);
    const { text } = await fixture.request(`/gopher/127.0.0.1:${server.port}/1`);
    expect(text).toContain("Bytes \\x00\\x07\\x1b[2J\\x7f");
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});

describe("the gateway limits the number of concurrent downloads", () => {
  it.each([
    ["default limit", {}],
    ["limit with the value undefined", { concurrency: { downloadsPerHost: undefined } }],
  ])(
    "the gateway refuses a download above the %s, and counts no slow download as a page",
    async (_, options) => {
      await using server = await startScriptedServer(async (peer) => {
        const line = await peer.readLine();
        peer.send("text\r\n.\r\n");
        if (line?.endsWith("slow")) await peer.readLine();
      });
      await using fixture = await startTestGateway([server.port], options);
      const path = (view: string, type: string, name: string): string =>
        `${view}/gopher/127.0.0.1:${server.port}/${type}/${name}`;
      const views = [path("/~raw", "0", "slow"), path("/~download", "0", "slow"), path("", "9", "slow")];
      const sockets = [...views, ...views].map((slow) => {
        const socket = connect(fixture.gateway.port, "127.0.0.1").on("error", () => undefined);
        socket.write(`GET ${slow} HTTP/1.1\r\nHost: localhost:${fixture.gateway.port}\r\n\r\n`);
        return socket;
      });
      for (const socket of sockets) {
        const [answer] = (await once(socket, "data")) as [Buffer];
        expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
      }
      const more = await fixture.request(path("/~raw", "0", "slow"));
      expect([more.status, more.headers["retry-after"]]).toEqual([503, "5"]);
      expect(more.text).toContain("The gateway serves too many downloads at the moment");
      const pages = await Promise.all(
        Array.from({ length: 4 }, () => fixture.request(path("", "0", "quick"))),
      );
      expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect((await fixture.request(path("/~raw", "0", "slow"), { method: "HEAD" })).status).toBe(200);
      for (const socket of sockets) socket.destroy();
      // When a download has ended, the gateway accepts another download.
      await expect.poll(async () => (await fixture.request(path("/~raw", "0", "quick"))).status).toBe(200);
    },
  );
});

describe("the gateway limits the connections of its clients", () => {
  it("the gateway refuses a connection above the limit maxConnections", async () => {
    await using fixture = await startTestGateway([], { maxConnections: 2 });
    const { port } = fixture.gateway;
    const open = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")] as const;
    await Promise.all(open.map((socket) => once(socket, "connect")));
    const request = `GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const third = connect(port, "127.0.0.1").on("error", () => undefined);
      third.on("data", (piece) => (text += piece.toString())).once("close", () => resolve(text));
      third.write(request);
    });
    expect(answer).toBe("");
    open[0].write(request);
    const [first] = (await once(open[0], "data")) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of open) socket.destroy();
  });

  it("the gateway closes a connection above the limit of one client, and accepts another client", async () => {
    await using fixture = await startTestGateway([], { maxConnectionsPerClient: 2, host: "127.0.0.1" });
    const { port } = fixture.gateway;
    const open = (localAddress: string): Socket =>
      connect({ host: "127.0.0.1", port, localAddress }).on("error", () => undefined);
    const request = `GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
    const halfSent = [open("127.0.0.1"), open("127.0.0.1")] as const;
    for (const socket of halfSent) {
      await once(socket, "connect");
      socket.write("GET / HTTP/1.1\r\nx: ");
    }
    const third = open("127.0.0.1");
    await once(third, "close");
    expect(third.bytesRead).toBe(0);
    const other = open("127.0.0.2");
    other.write(request);
    const [answer] = (await once(other, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    // When a connection has ended, the gateway accepts another connection of the client.
    halfSent[0].destroy();
    await expect.poll(async () => (await fixture.request("/").catch(() => undefined))?.status).toBe(200);
    for (const socket of [...halfSent, other]) socket.destroy();
  });

  it("the gateway sends 408 for a request body that arrives too slowly", async () => {
    await using fixture = await startTestGateway([], { headersTimeoutMs: 100 });
    const socket = connect(fixture.gateway.port, "127.0.0.1").on("error", () => undefined);
    const host = `localhost:${fixture.gateway.port}`;
    socket.write(`POST /~form HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\nurl=x`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, "close");
  });

  it("the gateway closes a connection after 1 000 requests", async () => {
    await using fixture = await startTestGateway([]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let last: string | undefined;
    for (let sent = 1; sent <= 1_000; sent++) {
      const { headers } = await fixture.request("/~style.css", { agent });
      last = String(headers["connection"]);
      if (sent < 1_000) expect([sent, last]).toEqual([sent, "keep-alive"]);
    }
    expect(last).toBe("close");
    agent.destroy();
  });
});

describe("the gateway reports a menu whose first line is invalid", () => {
  it("the gateway sends an error status instead of an incomplete page", async () => {
    await using server = await startGopherServer({ "": `0${"x".repeat(5_000)}\r\n` });
    await using fixture = await startTestGateway([server.port]);
    expect((await fixture.request(`/gopher/127.0.0.1:${server.port}/1`)).status).toBe(502);
  });
});

describe("the gateway recognizes a CRLF that is split between two chunks", () => {
  it("the gateway shows the same lines for a text in two chunks as in one chunk", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send("one\r");
      await new Promise((resolve) => setImmediate(resolve));
      peer.send("\ntwo\r\nthree\r");
      peer.end();
    });
    await using fixture = await startTestGateway([server.port]);
    const { text } = await fixture.request(`/gopher/127.0.0.1:${server.port}/0/x`);
    expect(text).toContain("one\ntwo\nthree\\x0d</pre>");
  });
});
