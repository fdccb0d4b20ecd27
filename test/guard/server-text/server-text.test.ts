import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { listedUrls, LISTINGS } from "./listing-servers.ts";
import { startPwdServer } from "../servers/pwd-server.ts";
import { ftpCommands, httpCommands, httpLogins } from "../bytes/wire-commands.ts";

const BYTES = Array.from({ length: 256 }, (_, byte) => byte);
/** Returns a name in which another command follows the byte. */
const nameWith = (byte: number): string => `n${String.fromCharCode(byte)}DELE`;
const CRLF = "\r\n";

describe.each(Object.entries(LISTINGS))("a name that a server sends in %s", (_, row) => {
  const { scheme: make, start: offer, refuses } = row;

  it("the client sends the name of a listing to its server unchanged, or not at all", async () => {
    // A LF ends a line of a listing, so the texts before and after it are two names.
    const bytes = BYTES.filter((byte) => byte !== 0x0a);
    const server = await offer(bytes.map(nameWith));
    const scheme = make();
    const client = createClient({
      schemes: [scheme],
      policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
      resolver: () => Promise.resolve(["127.0.0.1"]),
    });
    for (const url of await listedUrls(row, client, server.port)) {
      const before = server.requestCount();
      const error: unknown = await client
        .dereference(url)
        .then((resource) => resource.close())
        .catch((reason: unknown) => reason);
      if (error instanceof AccessError && error.code === "refused-characters")
        expect(server.requestCount()).toBe(before);
    }
    await client.destroy();
    const sent = bytes.filter((byte) => !refuses(byte)).map(nameWith);
    expect([...new Set(server.requestedNames())].toSorted()).toEqual(sent.toSorted());
    await server.stop();
  });
});

describe("the directory that an FTP server names in its reply to PWD", () => {
  it.each(BYTES.filter((byte) => byte < 0x30 || byte > 0x7a))(
    "the client sends a directory with the byte %i unchanged, or not at all",
    async (byte) => {
      const home = `/${nameWith(byte)}`;
      await using server = await startPwdServer(home);
      const client = createClient({ schemes: [ftp()], policy: anyAddress() });
      for (const path of ["one/a", "two/b"])
        await client.dereference(`ftp://127.0.0.1:${server.port}/${path}`).catch(() => undefined);
      await client.destroy();
      const received = await server.received();
      const walked = received.flatMap(ftpCommands).filter(([verb]) => verb === "CWD");
      // The LF ends the line, and the rest is not a reply.
      if (byte === 0x0a) return expect(received.join("")).not.toMatch(/CWD|DELE/);
      // A NUL in a reply ends the request and its connection.
      if (byte === 0) return expect(walked).toEqual([]);
      const returns = /[\x00-\x1f\x7f]/.test(home) ? [] : [["CWD", home]];
      expect(walked).toEqual([["CWD", "one"], ...returns, ["CWD", "two"]]);
      expect(received.join("")).not.toMatch(/^DELE/m);
    },
  );
});

describe("a Location", () => {
  it("a message id of a server never makes the client send a space, a control byte or a non-ASCII byte", async () => {
    const targets: string[] = [];
    let location = "";
    await using server = await startScriptedServer(async (peer) => {
      const lines: string[] = [];
      for (let line = await peer.line(); line; line = await peer.line()) lines.push(line);
      const [request = []] = httpCommands([...lines, "", ""].join(CRLF));
      if (request[1] !== "/") targets.push(request.join(" "));
      const head = request[1] === "/" ? `302 Found${CRLF}location: ${location}` : "204 No Content";
      peer.send(`HTTP/1.1 ${head}${CRLF}connection: close${CRLF}${CRLF}`);
    });
    await using client = createClient({ schemes: [http()], policy: anyAddress() });
    for (const byte of BYTES) {
      location = `/${nameWith(byte)}`;
      await client.dereference(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
    }
    expect(targets.length).toBeGreaterThan(80);
    for (const target of targets)
      expect(target).toMatch(/^GET \/n[!-~]*DELE HTTP\/1\.1$|^GET \/n HTTP\/1\.1$/);
  });
});

describe("a Digest challenge", () => {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

  it.each(["realm", "nonce", "opaque"])(
    "the client sends the %s of a server unchanged, or not at all",
    async (name) => {
      let value = "";
      await using server = await startScriptedServer(async (peer) => {
        while (await peer.line());
        const parameters = { realm: "r", nonce: "n", opaque: "o", qop: "auth", [name]: value };
        const challenge = Object.entries(parameters).map(([key, text]) => `${key}=${quoted(text)}`);
        peer.send(`HTTP/1.1 401 Who asks?${CRLF}www-authenticate: Digest ${challenge.join(", ")}${CRLF}`);
        peer.send(`content-length: 0${CRLF}connection: close${CRLF}${CRLF}`);
      });
      const credentials = (): { user: string; password: string } => ({ user: "u", password: "p" });
      await using client = createClient({ schemes: [http()], policy: anyAddress(), credentials });
      const answered: number[] = [];
      for (const byte of BYTES) {
        value = nameWith(byte);
        const before = server.connections.length;
        await client.dereference(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
        const logins = server.connections.slice(before).map(({ received }) => {
          return httpLogins(received.toString("latin1"));
        });
        // The first request has no login, and a rejected one is not repeated.
        expect(logins[0]).toEqual([]);
        expect(logins.length).toBeLessThanOrEqual(2);
        for (const login of logins.slice(1)) {
          answered.push(byte);
          expect(login.filter(([key]) => key === name)).toEqual([[name, value]]);
        }
      }
      // A field has no control bytes and no DEL. RFC 9110 §5.5.
      expect(answered).toEqual(BYTES.filter((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f)));
    },
  );
});
