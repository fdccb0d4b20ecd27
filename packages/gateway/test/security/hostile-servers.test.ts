import { createClient, publicInternet, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestGateway, startTestGateway } from "../test-gateway.ts";
import {
  expectSafeResponse,
  SECRET_PASSWORD,
  type OutboundRecordingGateway,
  startOutboundRecordingGateway,
} from "./outbound-recording-gateway.ts";

let gateway: OutboundRecordingGateway;
beforeAll(async () => {
  gateway = await startOutboundRecordingGateway(() => []);
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe("the gateway resists hostile servers", () => {
  /** Starts a gateway that may connect to one server only. */
  const startHostile = ({ port }: LoopbackServer): Promise<TestGateway> => {
    const allowPorts = { ftp: [port], gopher: [port], http: [port] };
    return startTestGateway(
      [],
      {},
      publicInternet({ allowPorts, allowAddresses: [{ cidr: "127.0.0.1", port }] }),
    );
  };

  it("the test records contacts of the gateway over TCP and UDP", async () => {
    await using server = await startScriptedServer((peer) => peer.send("text\r\n.\r\n"));
    await using fixture = await startHostile(server);
    expect((await fixture.request(`/gopher/127.0.0.1:${server.port}/0/x`)).status).toBe(200);
    expect(gateway.takeContactedServers().destinations).toContain(`127.0.0.1 port ${server.port}`);
    const policy = anyAddress({ allowPorts: { prospero: [server.port] } });
    await using client = createClient({ schemes: [prospero()], policy });
    // No datagram server listens on the port of the URL.
    await expect(client.dereference(`prospero://127.0.0.1:${server.port}/o`)).rejects.toThrow();
    expect(gateway.takeContactedServers().destinations).toContain("datagram");
  });

  it.each([
    "http://127.0.0.1:TRAP/",
    "//127.0.0.1:TRAP/",
    "http://[::1]:TRAP/",
    "http://[::ffff:127.0.0.1]:TRAP/",
    "http://localhost:TRAP/",
    "http://169.254.169.254/latest/",
    "http://127.0.0.1:25/",
    "http://2130706433:TRAP/",
    "gopher://127.0.0.1:TRAP/1",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    `http://u:${SECRET_PASSWORD}@h.example/`,
  ])("the gateway refuses a redirect to %s without a connection", async (location) => {
    await using tripwire = await startForbiddenServer();
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      const to = location.replace("TRAP", String(tripwire.port));
      peer.send(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    });
    await using fixture = await startHostile(server);
    for (const view of ["", "/~raw"]) {
      const answer = await fixture.request(`${view}/http/127.0.0.1:${server.port}/`);
      expect(answer.status, answer.text).toBe(403);
      expectSafeResponse(answer);
    }
    expect([server.connections.length, tripwire.connections.length]).toEqual([2, 0]);
  });

  const EVIL = '<script>alert(1)</script>"\u001b[2J\r';
  it.each<[path: string, reply: string, status: number]>([
    ["/gopher/HOST/0/x", `3${EVIL}\t\terror.host\t1\r\n.\r\n`, 404],
    ["/gopher/HOST/1/x", `i${EVIL}\t\t\t\r\n0${EVIL}\t${EVIL}\t${EVIL}\t70\r\n.\r\n`, 200],
    ["/gopher/HOST/0/x", `${EVIL}\u0007\u009b`, 200],
    ["/ftp/HOST/x", `530 ${EVIL}\r\n`, 403],
    ["/http/HOST/x", `HTTP/1.1 500 ${EVIL.slice(0, 25)}\r\nContent-Length: 0\r\n\r\n`, 502],
    [
      "/http/HOST/x",
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\nX-Injected: 1\r\nConnection: close\r\n\r\n${EVIL}`,
      200,
    ],
    [
      "/~raw/http/HOST/a%22%0D%0AX-Injected:1",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html;x=%0d%0aX-Injected:1\r\nX-Injected: 1\r\nConnection: close\r\n\r\n<script>",
      200,
    ],
    [
      "/~download/http/HOST/a%22%0D%0AX-Injected:1",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<script>",
      200,
    ],
  ])("at the path %s, the gateway shows the malicious response %j safely", async (path, reply, status) => {
    await using server = await startScriptedServer(async (peer) => {
      if (path.startsWith("/ftp")) peer.send(`220 ${EVIL}\r\n`);
      await peer.readLine();
      peer.send(reply);
    });
    await using fixture = await startHostile(server);
    const answer = await fixture.request(path.replace("HOST", `127.0.0.1:${server.port}`));
    expect(answer.status, answer.text).toBe(status);
    expectSafeResponse(answer);
  });
});
