import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { createClient, anyAddress } from "@anyscheme/core";
import { https, type HttpsOptions } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import {
  CLIENT_CERTIFICATE_PEM,
  CLIENT_PRIVATE_KEY_PEM,
  EXPIRED_CERTIFICATE_PEM,
  SERVER_CERTIFICATE_PEM,
  SERVER_PRIVATE_KEY_PEM,
} from "../test-certificates.ts";
import { getRejectedError } from "../test-client.ts";

interface TlsHandshake {
  readonly serverName: string | false | null | undefined;
  readonly clientCertificateName: string | undefined;
  readonly protocol: string | false | null;
}

/** Starts a server that responds with `secure`, and records the TLS handshakes. */
async function startTlsServer(
  options: TlsOptions,
): Promise<AsyncDisposable & { readonly port: number; readonly handshakes: TlsHandshake[] }> {
  const handshakes: TlsHandshake[] = [];
  const server = createServer({ ALPNProtocols: ["h2", "http/1.1"], ...options }, (socket) => {
    const { CN: clientCertificateName } = (socket.getPeerCertificate().subject ?? {}) as { CN?: string };
    handshakes.push({ serverName: socket.servername, clientCertificateName, protocol: socket.alpnProtocol });
    socket
      .on("error", () => undefined)
      .once("data", () => {
        socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nsecure");
      });
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    handshakes,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Requests a URL. Every host name resolves to 127.0.0.1. */
async function requestText(url: `https://${string}`, options: HttpsOptions = {}): Promise<string> {
  await using client = createClient({
    schemes: [https(options)],
    policy: anyAddress(),
    resolver: () => Promise.resolve(["127.0.0.1"]),
  });
  return await (await client.dereference(url)).text();
}

const tlsServerOptions = { cert: SERVER_CERTIFICATE_PEM, key: SERVER_PRIVATE_KEY_PEM };
const trustedCertificate = SERVER_CERTIFICATE_PEM;

describe("the client verifies the certificate of an https server", () => {
  it("the client trusts certificates of the option ca, and sends a host name but no address as server name", async () => {
    await using server = await startTlsServer(tlsServerOptions);
    expect(await requestText(`https://secure.example:${server.port}/`, { ca: [trustedCertificate] })).toBe(
      "secure",
    );
    expect(await requestText(`https://127.0.0.1:${server.port}/`, { ca: trustedCertificate })).toBe("secure");
    expect(server.handshakes.map(({ serverName }) => serverName)).toEqual(["secure.example", false]);
  });

  it.each<[string, TlsOptions, string, HttpsOptions, string]>([
    ["untrusted", tlsServerOptions, "secure.example", {}, "self-signed"],
    ["untrusted", tlsServerOptions, "secure.example", { ca: CLIENT_CERTIFICATE_PEM }, "self-signed"],
    ["wrong-host", tlsServerOptions, "other.example", { ca: trustedCertificate }, "for another host"],
    [
      "expired",
      { cert: EXPIRED_CERTIFICATE_PEM, key: SERVER_PRIVATE_KEY_PEM },
      "secure.example",
      { ca: trustedCertificate },
      "has expired",
    ],
  ])(
    "the certificate error %s is thrown before a request is sent",
    async (certificate, tls, host, options, reason) => {
      await using server = await startTlsServer(tls);
      const error = await getRejectedError(requestText(`https://${host}:${server.port}/`, options));
      expect(error).toMatchObject({ code: "unavailable", certificate, step: { action: "tls" } });
      expect(error.message).toContain(reason);
    },
  );
});

describe("the client sends a client certificate over https", () => {
  const clientCertificateOptions: TlsOptions = {
    ...tlsServerOptions,
    requestCert: true,
    rejectUnauthorized: true,
    ca: CLIENT_CERTIFICATE_PEM,
  };

  it("the client sends its certificate to a server that requires one", async () => {
    await using server = await startTlsServer({ ...clientCertificateOptions, ca: CLIENT_CERTIFICATE_PEM });
    const options = { ca: trustedCertificate, cert: CLIENT_CERTIFICATE_PEM, key: CLIENT_PRIVATE_KEY_PEM };
    expect(await requestText(`https://secure.example:${server.port}/`, options)).toBe("secure");
    expect(server.handshakes[0]?.clientCertificateName).toBe("client");
  });

  it("the connection fails when the server requires a client certificate and none is configured", async () => {
    await using server = await startTlsServer(clientCertificateOptions);
    const error = await getRejectedError(
      requestText(`https://secure.example:${server.port}/`, { ca: trustedCertificate }),
    );
    expect(["unavailable", "incomplete"]).toContain(error.code);
    expect(server.handshakes).toEqual([]);
  });

  it("an invalid client certificate throws before the TLS handshake", async () => {
    await using server = await startTlsServer(tlsServerOptions);
    const error = await getRejectedError(
      requestText(`https://secure.example:${server.port}/`, {
        ca: trustedCertificate,
        cert: "none",
        key: "none",
      }),
    );
    expect(error).toMatchObject({
      code: "unavailable",
      reason: "TLS cannot start with the certificates of the options",
    });
    expect(server.handshakes).toEqual([]);
  });
});

it("the client negotiates HTTP/1.1 with a server that prefers HTTP/2", async () => {
  await using server = await startTlsServer(tlsServerOptions);
  await requestText(`https://secure.example:${server.port}/`, { ca: trustedCertificate });
  expect(server.handshakes[0]?.protocol).toBe("http/1.1");
});
