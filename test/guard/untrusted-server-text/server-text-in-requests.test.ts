import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { readListingEntryUrls, LISTING_SERVER_CASES } from "./listing-servers.ts";
import { startPwdServer } from "../servers/pwd-server.ts";
import {
  decodeFtpCommands,
  decodeHttpRequest,
  decodeAuthorizationFields,
} from "../bytes/command-decoders.ts";

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte);
/** Returns a file name in which an FTP command follows the byte. */
const createNameWithInjectedCommand = (byte: number): string => `n${String.fromCharCode(byte)}DELE`;
const CRLF = "\r\n";

describe.each(Object.entries(LISTING_SERVER_CASES))("a name that a server sends in %s", (_, row) => {
  const { createScheme, startServer, isRejectedNameByte: isRejected } = row;

  it("the client requests the name unchanged, or not at all", async () => {
    // LF is not tested, because it ends a line of a listing.
    const bytes = ALL_BYTES.filter((byte) => byte !== 0x0a);
    const server = await startServer(bytes.map(createNameWithInjectedCommand));
    const scheme = createScheme();
    const client = createClient({
      schemes: [scheme],
      policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
      resolver: () => Promise.resolve(["127.0.0.1"]),
    });
    for (const url of await readListingEntryUrls(row, client, server.port)) {
      const before = server.requestCount();
      const error: unknown = await client
        .dereference(url)
        .then((resource) => resource.close())
        .catch((reason: unknown) => reason);
      if (error instanceof AccessError && error.code === "refused-characters")
        expect(server.requestCount()).toBe(before);
    }
    await client.destroy();
    const sent = bytes.filter((byte) => !isRejected(byte)).map(createNameWithInjectedCommand);
    expect([...new Set(server.requestedNames())].toSorted()).toEqual(sent.toSorted());
    await server.stop();
  });
});

describe("the directory that an FTP server names in its reply to PWD", () => {
  it.each(ALL_BYTES.filter((byte) => byte < 0x30 || byte > 0x7a))(
    "the client returns to a directory whose name contains the byte %i, or sends no CWD for it",
    async (byte) => {
      const home = `/${createNameWithInjectedCommand(byte)}`;
      await using server = await startPwdServer(home);
      const client = createClient({ schemes: [ftp()], policy: anyAddress() });
      for (const path of ["one/a", "two/b"])
        await client.dereference(`ftp://127.0.0.1:${server.port}/${path}`).catch(() => undefined);
      await client.destroy();
      const received = await server.receivedBytes();
      const cwdCommands = received.flatMap(decodeFtpCommands).filter(([verb]) => verb === "CWD");
      // A LF in the directory name ends the line of the reply, and the next line is not a valid reply.
      if (byte === 0x0a) return expect(received.join("")).not.toMatch(/CWD|DELE/);
      // The client ends the request and closes the connection after a NUL in a reply.
      if (byte === 0) return expect(cwdCommands).toEqual([]);
      const returns = /[\x00-\x1f\x7f]/.test(home) ? [] : [["CWD", home]];
      expect(cwdCommands).toEqual([["CWD", "one"], ...returns, ["CWD", "two"]]);
      expect(received.join("")).not.toMatch(/^DELE/m);
    },
  );
});

describe("the Location field of an HTTP redirect", () => {
  it("a Location never makes the client send a space, a control byte or a non-ASCII byte", async () => {
    const targets: string[] = [];
    let location = "";
    await using server = await startScriptedServer(async (peer) => {
      const lines: string[] = [];
      for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
      const [request = []] = decodeHttpRequest([...lines, "", ""].join(CRLF));
      if (request[1] !== "/") targets.push(request.join(" "));
      const head = request[1] === "/" ? `302 Found${CRLF}location: ${location}` : "204 No Content";
      peer.send(`HTTP/1.1 ${head}${CRLF}connection: close${CRLF}${CRLF}`);
    });
    await using client = createClient({ schemes: [http()], policy: anyAddress() });
    for (const byte of ALL_BYTES) {
      location = `/${createNameWithInjectedCommand(byte)}`;
      await client.dereference(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
    }
    expect(targets.length).toBeGreaterThan(80);
    for (const target of targets)
      expect(target).toMatch(/^GET \/n[!-~]*DELE HTTP\/1\.1$|^GET \/n HTTP\/1\.1$/);
  });
});

describe("the Digest challenge of an HTTP server", () => {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

  it.each(["realm", "nonce", "opaque"])(
    "the client returns the %s of the challenge unchanged, or sends no credentials",
    async (name) => {
      let value = "";
      await using server = await startScriptedServer(async (peer) => {
        while (await peer.readLine());
        const parameters = { realm: "r", nonce: "n", opaque: "o", qop: "auth", [name]: value };
        const challenge = Object.entries(parameters).map(([key, text]) => `${key}=${quoted(text)}`);
        peer.send(`HTTP/1.1 401 Who asks?${CRLF}www-authenticate: Digest ${challenge.join(", ")}${CRLF}`);
        peer.send(`content-length: 0${CRLF}connection: close${CRLF}${CRLF}`);
      });
      const credentials = (): { user: string; password: string } => ({ user: "u", password: "p" });
      await using client = createClient({ schemes: [http()], policy: anyAddress(), credentials });
      const answeredBytes: number[] = [];
      for (const byte of ALL_BYTES) {
        value = createNameWithInjectedCommand(byte);
        const before = server.connections.length;
        await client.dereference(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
        const logins = server.connections.slice(before).map(({ received }) => {
          return decodeAuthorizationFields(received.toString("latin1"));
        });
        // The client's first HTTP request to the server has no Authorization field. The client does not repeat rejected
        // credentials.
        expect(logins[0]).toEqual([]);
        expect(logins.length).toBeLessThanOrEqual(2);
        for (const login of logins.slice(1)) {
          answeredBytes.push(byte);
          expect(login.filter(([key]) => key === name)).toEqual([[name, value]]);
        }
      }
      // RFC 9110 §5.5: a header field contains no control characters except tab.
      expect(answeredBytes).toEqual(
        ALL_BYTES.filter((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f)),
      );
    },
  );
});
