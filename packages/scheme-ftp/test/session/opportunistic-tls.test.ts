import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { TLSSocket } from "node:tls";
import { anyAddress, createClient } from "@anyscheme/core";
import { ftp, type FtpTlsMode } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";
import {
  TEST_CERTIFICATE_PEM as cert,
  TEST_PRIVATE_KEY_PEM as key,
} from "../../../core/test/network/test-certificate.ts";

async function listen(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Starts an FTP server that starts TLS after AUTH, and sends the data in clear text. */
async function startServerWithoutProtectedData(refusals: Readonly<Record<string, string>>): Promise<{
  readonly port: number;
  readonly lines: readonly string[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const data = await listen((socket) => socket.end("hello"));
  const dataPort = (data.address() as AddressInfo).port;
  const replies: Readonly<Record<string, string>> = {
    USER: "230 welcome",
    PBSZ: "200 size set",
    TYPE: "200 type set",
    SIZE: "213 5",
    EPSV: `229 passive (|||${dataPort}|)`,
    RETR: "150 here\r\n226 done",
    ...refusals,
  };
  const serve = (socket: Socket): void => {
    createInterface({ input: socket.on("error", () => undefined) }).on("line", (line) => {
      lines.push(line);
      socket.write(`${replies[line.split(" ")[0] ?? ""] ?? "502 not implemented"}\r\n`);
    });
  };
  const control = await listen((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).write("220 ready\r\n");
    socket.once("data", (bytes) => {
      lines.push(String(bytes).trim());
      socket.write("234 start TLS\r\n");
      serve(new TLSSocket(socket, { isServer: true, cert, key }));
    });
  });
  return {
    port: (control.address() as AddressInfo).port,
    lines,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([control, data].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function fetchText(port: number, tls: FtpTlsMode): Promise<string> {
  await using client = createClient({ schemes: [ftp({ tls, ca: cert })], policy: anyAddress() });
  return await client.text(`ftp://127.0.0.1:${port}/a;type=i`);
}

describe("the option tls, and a server that starts TLS but does not protect data connections", () => {
  const refusals = {
    "PROT refused": { PROT: "536 not supported" },
    "PBSZ refused": { PBSZ: "502 no", PROT: "503 no" },
  };

  it.each(Object.entries(refusals))(
    "a client with opportunistic TLS receives data in clear text after the refusal: %s",
    async (_, replies) => {
      await using server = await startServerWithoutProtectedData(replies);
      expect(await fetchText(server.port, "opportunistic")).toBe("hello");
      expect(server.lines.slice(0, 4)).toEqual(["AUTH TLS", "USER anonymous", "PBSZ 0", "PROT P"]);
    },
  );

  it.each(Object.entries(refusals))("explicit TLS fails after the refusal: %s", async (_, replies) => {
    await using server = await startServerWithoutProtectedData(replies);
    await expect(fetchText(server.port, "explicit")).rejects.toMatchObject({ code: "unsupported" });
    expect(server.lines.join()).not.toContain("RETR");
  });
});
