import { AccessError, createClient, trusted } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { OFFERS } from "./offers.ts";
import { startPwdServer } from "./pwd-server.ts";
import { ftpCommands, httpCommands } from "./wire-commands.ts";

const OCTETS = Array.from({ length: 256 }, (_, octet) => octet);
/** A name that another command follows, were the octet to end it. */
const nameWith = (octet: number): string => `n${String.fromCharCode(octet)}DELE`;
const CRLF = "\r\n";

describe.each(Object.entries(OFFERS))("a name in %s", (_, { scheme: make, url, offer, refuses }) => {
  it("goes back to its server exactly as it came, or not at all", async () => {
    // A line of a list ends at LF, wherever that comes from: what stands before and behind are two names.
    const octets = OCTETS.filter((octet) => octet !== 0x0a);
    const server = await offer(octets.map(nameWith));
    const scheme = make();
    const client = createClient({
      schemes: [scheme],
      policy: trusted({ allowPorts: { [scheme.name]: [server.port] } }),
      resolver: () => Promise.resolve(["127.0.0.1"]),
    });
    const list = await client.dereference(url(server.port));
    if (list.kind !== "directory") throw new Error(`it is a ${list.kind}`);
    const entries: (typeof list extends AsyncIterable<infer E> ? E : never)[] = [];
    for await (const entry of list) entries.push(entry);
    for (const entry of entries) {
      const before = server.count();
      if (!entry.url) continue;
      const error: unknown = await client
        .dereference(entry.url)
        .then((resource) => resource.close())
        .catch((reason: unknown) => reason);
      if (error instanceof AccessError && error.code === "refused-octets")
        expect(server.count()).toBe(before);
    }
    await client.close();
    const sent = octets.filter((octet) => !refuses(octet)).map(nameWith);
    expect([...new Set(server.asked())].toSorted()).toEqual(sent.toSorted());
    await server.stop();
  });
});

describe("the directory in a reply to PWD", () => {
  it.each(OCTETS.filter((octet) => octet < 0x30 || octet > 0x7a))(
    "with the octet %i is returned to exactly as it came, or not at all",
    async (octet) => {
      const home = `/${nameWith(octet)}`;
      await using server = await startPwdServer(home);
      const client = createClient({ schemes: [ftp()], policy: trusted() });
      for (const path of ["one/a", "two/b"])
        await client.dereference(`ftp://127.0.0.1:${server.port}/${path}`).catch(() => undefined);
      await client.close();
      const received = await server.received();
      const walked = received.flatMap(ftpCommands).filter(([verb]) => verb === "CWD");
      // The line ends there, and what follows is no reply.
      if (octet === 0x0a) return expect(received.join("")).not.toMatch(/CWD|DELE/);
      const returns = /[\x00-\x1f\x7f]/.test(home) ? [] : [["CWD", home]];
      expect(walked).toEqual([["CWD", "one"], ...returns, ["CWD", "two"]]);
      expect(received.join("")).not.toMatch(/^DELE/m);
    },
  );
});

describe("a Location", () => {
  it("never puts a blank, a control octet or another one beyond US-ASCII on the wire", async () => {
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
    await using client = createClient({ schemes: [http()], policy: trusted() });
    for (const octet of OCTETS) {
      location = `/${nameWith(octet)}`;
      await client.dereference(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
    }
    expect(targets.length).toBeGreaterThan(80);
    for (const target of targets)
      expect(target).toMatch(/^GET \/n[!-~]*DELE HTTP\/1\.1$|^GET \/n HTTP\/1\.1$/);
  });
});
