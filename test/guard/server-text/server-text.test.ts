import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { offeredUrls, OFFERS } from "./listing-servers.ts";
import { startPwdServer } from "../servers/pwd-server.ts";
import { ftpCommands, httpCommands, httpLogins } from "../bytes/wire-commands.ts";

const BYTES = Array.from({ length: 256 }, (_, byte) => byte);
/** A name that another command follows, were the byte to end it. */
const nameWith = (byte: number): string => `n${String.fromCharCode(byte)}DELE`;
const CRLF = "\r\n";

describe.each(Object.entries(OFFERS))("a name in %s", (_, row) => {
  const { scheme: make, offer, refuses } = row;

  it("goes back to its server exactly as it came, or not at all", async () => {
    // A line of a list ends at LF, wherever that comes from: what stands before and behind are two names.
    const bytes = BYTES.filter((byte) => byte !== 0x0a);
    const server = await offer(bytes.map(nameWith));
    const scheme = make();
    const client = createClient({
      schemes: [scheme],
      policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
      resolver: () => Promise.resolve(["127.0.0.1"]),
    });
    for (const url of await offeredUrls(row, client, server.port)) {
      const before = server.count();
      const error: unknown = await client
        .dereference(url)
        .then((resource) => resource.close())
        .catch((reason: unknown) => reason);
      if (error instanceof AccessError && error.code === "refused-characters")
        expect(server.count()).toBe(before);
    }
    await client.destroy();
    const sent = bytes.filter((byte) => !refuses(byte)).map(nameWith);
    expect([...new Set(server.asked())].toSorted()).toEqual(sent.toSorted());
    await server.stop();
  });
});

describe("the directory in a reply to PWD", () => {
  it.each(BYTES.filter((byte) => byte < 0x30 || byte > 0x7a))(
    "with the byte %i is returned to exactly as it came, or not at all",
    async (byte) => {
      const home = `/${nameWith(byte)}`;
      await using server = await startPwdServer(home);
      const client = createClient({ schemes: [ftp()], policy: anyAddress() });
      for (const path of ["one/a", "two/b"])
        await client.dereference(`ftp://127.0.0.1:${server.port}/${path}`).catch(() => undefined);
      await client.destroy();
      const received = await server.received();
      const walked = received.flatMap(ftpCommands).filter(([verb]) => verb === "CWD");
      // The line ends there, and what follows is no reply.
      if (byte === 0x0a) return expect(received.join("")).not.toMatch(/CWD|DELE/);
      // A NUL in a reply ends the access, and its connection.
      if (byte === 0) return expect(walked).toEqual([]);
      const returns = /[\x00-\x1f\x7f]/.test(home) ? [] : [["CWD", home]];
      expect(walked).toEqual([["CWD", "one"], ...returns, ["CWD", "two"]]);
      expect(received.join("")).not.toMatch(/^DELE/m);
    },
  );
});

describe("a Location", () => {
  it("never puts a blank, a control byte or another one beyond US-ASCII on the wire", async () => {
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
    "goes back with its %s exactly as it came, or not at all",
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
        // Without a login the first time, and not once more when it was refused.
        expect(logins[0]).toEqual([]);
        expect(logins.length).toBeLessThanOrEqual(2);
        for (const login of logins.slice(1)) {
          answered.push(byte);
          expect(login.filter(([key]) => key === name)).toEqual([[name, value]]);
        }
      }
      // RFC 9110 §5.5: a field has neither control bytes nor DEL.
      expect(answered).toEqual(BYTES.filter((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f)));
    },
  );
});
