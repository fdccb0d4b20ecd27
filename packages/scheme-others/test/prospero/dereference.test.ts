import type { ContentResource, TraceEvent } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import {
  type TestServer,
  startFtpTestServer,
  startGopherTestServer,
  startProsperoTestServer,
} from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPTIONS_TO_IMITATE_CAPTURED_SERVER } from "./options-to-imitate-captured-server.ts";
import {
  readContentBytes,
  createClientForServers,
  listProsperoEntries,
  readEntriesUntilFailure,
  getRedirectChainUrls,
} from "./prospero-client.ts";
import {
  createProsperoReplyHandler,
  encodeReplyInOnePacket,
  startScriptedProsperoServer,
} from "./scripted-server.ts";
import { catchAccessError } from "../../../core/test/catch-access-error.ts";

const SERVED_FOLDER = "/srv/library/prospero/tree";
const OBJECT_INFO_REQUEST = "GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES ASCII";

let prosperoServer: TestServer;
beforeAll(async () => {
  prosperoServer = await startProsperoTestServer(OPTIONS_TO_IMITATE_CAPTURED_SERVER);
});
afterAll(() => prosperoServer.stop());

const formatProsperoUrl = (path: string): string => `prospero://127.0.0.1:${prosperoServer.port}/${path}`;

/** Returns a reply line with an access method. */
const formatAccessMethodLine = (value: string): string => `ATTRIBUTE OBJECT FIELD ACCESS-METHOD ${value}\n`;
const CONTENTS_METHOD_LINE = formatAccessMethodLine("PROSPERO-CONTENTS '' '' '' ''");

describe("the client reads the contents of an object from the Prospero server", () => {
  it("the client returns an object with contents as a content resource", async () => {
    await using client = createClientForServers([prosperoServer]);
    const resource = (await client.dereference(
      formatProsperoUrl(`${SERVED_FOLDER}/docs/hello.txt`),
    )) as ContentResource;
    expect([resource.kind, resource.mediaType, resource.size, resource.modified?.toISOString()]).toEqual([
      "content",
      "text/plain",
      15,
      "2026-11-20T20:40:18.000Z",
    ]);
    expect(await resource.text()).toBe("Hello Prospero\n");
    expect(await resource.completeness).toBe("verified");
    expect(resource.redirectChain).toEqual([]);
  });

  it.each([
    [9, "incomplete", /10 bytes.* 9 bytes/],
    [10, "verified", undefined],
    [11, "incomplete", /10 bytes.* 11 bytes/],
  ])(
    "the client reads contents of 10 bytes with a SIZE attribute of %i: the outcome is %s",
    async (size, outcome, words) => {
      await using own = await startScriptedProsperoServer(
        createProsperoReplyHandler({
          [OBJECT_INFO_REQUEST]: `${CONTENTS_METHOD_LINE}ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE ${size}' bytes'\n`,
          "GET-OBJECT-INFO CONTENTS": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 0123456789\n",
        }),
      );
      await using client = createClientForServers([own]);
      const resource = (await client.dereference(`prospero://127.0.0.1:${own.port}/x`)) as ContentResource;
      if (words) expect(await catchAccessError(resource.text())).toMatchObject({ code: outcome });
      else expect(await resource.text()).toBe("0123456789");
      if (words) await expect(resource.completeness).rejects.toThrow(words);
      else expect(await resource.completeness).toBe(outcome);
    },
  );

  it("the client reads large contents in packets whose connection ids have swapped bytes", async () => {
    await using client = createClientForServers([prosperoServer]);
    const resource = await client.dereference(formatProsperoUrl(`${SERVED_FOLDER}/docs/big.txt`));
    if (resource.kind !== "content") throw new Error(resource.kind);
    let bytes = 0;
    for await (const piece of resource) bytes += piece.length;
    expect(bytes).toBe(81_000);
  });

  it.each(["contents-first", "in-order", undefined] as const)(
    "the client returns contents if the schemes of the other access methods are not registered (accessMethods: %s)",
    async (accessMethods) => {
      await using client = createClientForServers([prosperoServer], { options: { accessMethods } });
      expect(
        (
          await readContentBytes(await client.dereference(formatProsperoUrl(`${SERVED_FOLDER}/manual.txt`)))
        ).toString(),
      ).toBe("manual\n");
    },
  );
});

describe("Prospero access methods redirect to other protocols", () => {
  it.each([
    ["BINARY", ";type=i"],
    ["TEXT", ";type=a"],
  ])(
    "the client redirects the access method AFTP %s to an ftp URL and records the redirect in redirectChain",
    async (type, typecode) => {
      await using other = await startFtpTestServer({ files: { "pub/man ual.bin": "by ftp" } });
      await using prosperous = await startScriptedProsperoServer(
        createProsperoReplyHandler({
          [OBJECT_INFO_REQUEST]: formatAccessMethodLine(
            `AFTP INTERNET-D 127.0.0.1(${other.port}) ASCII '/pub/man ual.bin' ${type}`,
          ),
        }),
      );
      await using client = createClientForServers([prosperous], { schemes: [ftp()] });
      const start = `prospero://127.0.0.1:${prosperous.port}/x`;
      const resource = await client.dereference(start);
      expect((await readContentBytes(resource)).toString()).toBe("by ftp");
      expect(String(resource.url)).toBe(`ftp://127.0.0.1:${other.port}/pub/man%20ual.bin${typecode}`);
      expect(getRedirectChainUrls(resource)).toEqual([start]);
    },
  );

  it("the client redirects the access method GOPHER to a gopher URL", async () => {
    await using other = await startGopherTestServer({ files: { "manual.txt": "by gopher" } });
    await using prosperous = await startScriptedProsperoServer(
      createProsperoReplyHandler({
        [OBJECT_INFO_REQUEST]: formatAccessMethodLine(
          `GOPHER INTERNET-D 127.0.0.1(${other.port}) ASCII '/manual.txt' 9`,
        ),
      }),
    );
    await using client = createClientForServers([prosperous], {
      schemes: [gopher()],
      allowedPorts: { gopher: [other.port] },
    });
    const resource = await client.dereference(`prospero://127.0.0.1:${prosperous.port}/x`);
    expect(String(resource.url)).toBe(`gopher://127.0.0.1:${other.port}/9/manual.txt`);
    expect((await readContentBytes(resource)).toString()).toContain("by gopher");
  });

  it.each<[what: string, methods: string, code: string, words: RegExp]>([
    [
      "methods without a URL",
      formatAccessMethodLine("NFS INTERNET-D h.example ASCII '/x'") +
        formatAccessMethodLine("LOCAL '' '' '' ''"),
      "unsupported",
      /has a URL: NFS, LOCAL/,
    ],
    [
      "an access method of an unregistered scheme",
      formatAccessMethodLine("TELNET INTERNET-D h.example ASCII ''"),
      "unknown-scheme",
      /scheme telnet is not registered/,
    ],
    [
      "an access method of a scheme to which prospero must not redirect",
      formatAccessMethodLine("TN3270 INTERNET-D h.example ASCII ''"),
      "refused-redirect",
      /from prospero to tn3270/,
    ],
    [
      "an access method with a port that the policy refuses",
      formatAccessMethodLine("GOPHER INTERNET-D 127.0.0.1(25) ASCII x 0"),
      "refused-port",
      /25/,
    ],
    [
      "an access method with an invalid port",
      formatAccessMethodLine("GOPHER INTERNET-D h.example(99999) ASCII x 0"),
      "unsupported",
      /has a URL: GOPHER/,
    ],
  ])("the client rejects an object without a usable access method: %s", async (_, methods, code, words) => {
    await using prosperous = await startScriptedProsperoServer(
      createProsperoReplyHandler({ [OBJECT_INFO_REQUEST]: methods }),
    );
    await using client = createClientForServers([prosperous], { schemes: [gopher()] });
    const failure = await catchAccessError(client.dereference(`prospero://127.0.0.1:${prosperous.port}/x`));
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(words);
  });

  it("the client skips an access method whose scheme is not registered and uses the next method", async () => {
    await using other = await startGopherTestServer({ files: { "m.txt": "by gopher" } });
    const handler = createProsperoReplyHandler({
      [OBJECT_INFO_REQUEST]:
        formatAccessMethodLine("TN3270 INTERNET-D h.example ASCII ''") +
        formatAccessMethodLine("TELNET INTERNET-D h.example ASCII ''") +
        formatAccessMethodLine(`GOPHER INTERNET-D 127.0.0.1(${other.port}) ASCII '/m.txt' 9`) +
        CONTENTS_METHOD_LINE,
      "GET-OBJECT-INFO CONTENTS": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'in band'\n",
    });
    await using prosperous = await startScriptedProsperoServer(handler);
    for (const [accessMethods, text] of [
      ["in-order", "by gopher"],
      ["contents-first", "in band"],
    ] as const) {
      await using client = createClientForServers([prosperous], {
        options: { accessMethods },
        schemes: [gopher()],
        allowedPorts: { gopher: [other.port] },
      });
      const resource = await client.dereference(`prospero://127.0.0.1:${prosperous.port}/x`);
      expect((await readContentBytes(resource)).toString()).toContain(text);
    }
  });
});

describe("the client sends the fields of a prospero URL", () => {
  it.each(["SIZE=15", "TITLE=a%20fine%20title", "ID=REMOTE%204242", "OWNER=root", "TYPE="])(
    "the client sends the URL field %s as a selection that the server accepts",
    async (field) => {
      await using client = createClientForServers([prosperoServer]);
      const resource = await client.dereference(
        formatProsperoUrl(`${SERVED_FOLDER}/docs/hello.txt;${field}`),
      );
      expect((await readContentBytes(resource)).toString()).toBe("Hello Prospero\n");
    },
  );
});

describe("the client lists directories of a Prospero server", () => {
  it("each directory entry has a URL that the client can dereference", async () => {
    await using own = await startProsperoTestServer({
      objects: { "/docs/a.txt": "one", "/docs/sub/b.txt": "two" },
    });
    await using client = createClientForServers([own]);
    const [file, folder] = await listProsperoEntries(
      await client.dereference(`prospero://127.0.0.1:${own.port}//docs`),
    );
    expect((await readContentBytes(await client.dereference(file?.url ?? ""))).toString()).toBe("one");
    expect(
      (await listProsperoEntries(await client.dereference(folder?.url ?? ""))).map(({ name }) => name),
    ).toEqual(["b.txt"]);
  });

  it("the client returns a directory without links as an empty directory", async () => {
    await using own = await startProsperoTestServer({ objects: { "/empty": { links: [] } } });
    await using client = createClientForServers([own]);
    expect(
      await listProsperoEntries(await client.dereference(`prospero://127.0.0.1:${own.port}//empty`)),
    ).toEqual([]);
  });

  it("the client reports a directory of several packets as verified", async () => {
    await using client = createClientForServers([prosperoServer]);
    const resource = await client.dereference(formatProsperoUrl(`${SERVED_FOLDER}/many`));
    expect(await listProsperoEntries(resource)).toHaveLength(400);
    expect(resource.kind === "directory" && (await resource.completeness)).toBe("verified");
  });

  it("the client lists the result of an Archie query as a directory", async () => {
    const reply =
      "LINK  L EXTERNAL prospero.tar.Z INTERNET-D ftp.example.org ASCII '/pub/prospero.tar.Z' 0\n" +
      "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 331' bytes'\n" +
      "ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP INTERNET-D ftp.example.org ASCII '/pub/prospero.tar.Z' BINARY\n";
    await using archie = await startScriptedProsperoServer(createProsperoReplyHandler({ DIRECTORY: reply }));
    await using client = createClientForServers([archie]);
    const resource = await client.dereference(
      `prospero://127.0.0.1:${archie.port}/ARCHIE/MATCH(100,0,=)/prospero.tar.Z`,
    );
    expect((await listProsperoEntries(resource)).map(({ size, url }) => [size, String(url)])).toEqual([
      [331, "ftp://ftp.example.org/pub/prospero.tar.Z;type=i"],
    ]);
    expect(archie.requests.at(-1)?.commandLines).toBe(
      "DIRECTORY ASCII ARCHIE'/MATCH(100,0,=)/prospero.tar.Z'; LIST ATTRIBUTES COMPONENTS",
    );
  });

  it("the URL of an entry has the version and the object id of its link, and requests have the version of the URL", async () => {
    const links =
      "LINK  L FILE x INTERNET-D h.example ASCII x 7\nATTRIBUTE LINK FIELD ID SEQUENCE REMOTE 4242\n";
    await using own = await startScriptedProsperoServer(createProsperoReplyHandler({ DIRECTORY: links }));
    await using client = createClientForServers([own]);
    const [entry] = await listProsperoEntries(
      await client.dereference(`prospero://127.0.0.1:${own.port}/d;OBJECT-VERSION=2`),
    );
    expect(String(entry?.url)).toBe("prospero://h.example/x;OBJECT-VERSION=7;ID=REMOTE%204242");
    expect(own.requests.map(({ commandLines }) => commandLines)).toEqual([
      `${OBJECT_INFO_REQUEST} d 2`,
      "DIRECTORY ASCII d 2; LIST ATTRIBUTES COMPONENTS",
    ]);
  });

  it.each([
    ["list", ["own", "uni", "self", "sym"], 0],
    ["follow", ["own", "far", "sym", "deep"], 2],
  ] as const)("the client lists union links (unions: %s)", async (unions, names, forwards) => {
    await using deep = await startScriptedProsperoServer(
      createProsperoReplyHandler({ DIRECTORY: "LINK  L FILE deep INTERNET-D h ASCII x 0\n" }),
    );
    await using far: Awaited<ReturnType<typeof startScriptedProsperoServer>> =
      await startScriptedProsperoServer((request) =>
        encodeReplyInOnePacket(
          `LINK  L FILE far INTERNET-D h ASCII x 0\nLINK  U DIRECTORY back INTERNET-D 127.0.0.1(${far.port}) ASCII there 0\n` +
            `LINK  U DIRECTORY deep INTERNET-D 127.0.0.1(${deep.port}) ASCII there 0\n`,
          request,
        ),
      );
    await using own: Awaited<ReturnType<typeof startScriptedProsperoServer>> =
      await startScriptedProsperoServer((request) =>
        request.commandLines.startsWith("GET")
          ? encodeReplyInOnePacket("FAILURE NOT-FOUND\n", request)
          : encodeReplyInOnePacket(
              "LINK  L FILE own INTERNET-D h ASCII x 0\n" +
                `LINK  U DIRECTORY uni INTERNET-D 127.0.0.1(${far.port}) ASCII there 0\n` +
                `LINK  U DIRECTORY self INTERNET-D 127.0.0.1(${own.port}) ASCII here 0\n` +
                "LINK  U SYMBOLIC sym VIRTUAL-SYSTEM vs ASCII x 0\n",
              request,
            ),
      );
    await using client = createClientForServers([own, far, deep], { options: { unions } });
    const resource = await client.dereference(`prospero://127.0.0.1:${own.port}/here`);
    expect(await readEntriesUntilFailure(resource)).toEqual({ names: [...names], failure: undefined });
    // The client cannot request an object whose location has no URL.
    expect(resource.kind === "directory" && (await resource.completeness)).toBe(
      unions === "list" ? "verified" : "truncated",
    );
    expect(far.requests.length + deep.requests.length).toBe(forwards);
  });
});

describe("stat() describes the object of a prospero URL", () => {
  it.each([
    [`${SERVED_FOLDER}/docs/hello.txt`, { kind: "content", size: 15, mediaType: "text/plain" }],
    [`${SERVED_FOLDER}/docs`, { kind: "directory", size: undefined, mediaType: undefined }],
  ])("stat() describes the object %s", async (path, stat) => {
    await using client = createClientForServers([prosperoServer]);
    const found = await client.stat(formatProsperoUrl(path));
    expect(found).toMatchObject(stat);
    expect(found.modified?.toISOString()).toBe("2026-11-20T20:40:18.000Z");
  });

  it("stat() follows a forwarded object and rejects a missing object", async () => {
    await using end = await startProsperoTestServer({ objects: { "/x": "123" } });
    await using start = await startProsperoTestServer({
      objects: { "/old": { forwardedTo: { host: `127.0.0.1(${end.port})`, hsoname: "/x" } } },
    });
    await using client = createClientForServers([start, end]);
    const found = await client.stat(`prospero://127.0.0.1:${start.port}//old`);
    expect([found.size, String(found.url), found.redirectChain.length]).toEqual([
      3,
      `prospero://127.0.0.1:${end.port}//x`,
      1,
    ]);
    expect((await catchAccessError(client.stat(`prospero://127.0.0.1:${start.port}//none`))).code).toBe(
      "not-found",
    );
  });

  it("stat() reports the kind unknown for an object without an access method", async () => {
    await using start = await startScriptedProsperoServer(
      createProsperoReplyHandler({
        [OBJECT_INFO_REQUEST]: "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 7' bytes'\n",
      }),
    );
    await using client = createClientForServers([start]);
    expect(await client.stat(`prospero://127.0.0.1:${start.port}/x`)).toMatchObject({
      kind: "unknown",
      size: 7,
    });
  });
});

describe("the client traces a Prospero request", () => {
  it.each([
    ["/docs/a.txt", ["connect", "send", "receive 5 attribute", "send", "transfer"]],
    ["/docs", ["connect", "send", "receive 3 attribute", "send", "receive 2 link, 14 attribute, so far"]],
  ])("the trace of the Prospero object %s has each request and reply", async (path, expectedEvents) => {
    await using own = await startProsperoTestServer({
      objects: { "/docs/a.txt": "one", "/docs/b.txt": "two" },
    });
    await using client = createClientForServers([own]);
    const events: string[] = [];
    const traceListener = ({ action, text }: TraceEvent): void =>
      void events.push(action === "receive" ? `receive ${text}` : action);
    const resource = await client.dereference(`prospero://127.0.0.1:${own.port}/${path}`, {
      trace: traceListener,
    });
    if (resource.kind === "content") await resource.bytes();
    expect(events).toEqual(expectedEvents);
  });

  it.each([
    ["", "nothing, so far"],
    ["WARNING MESSAGE 'it''s late'\nNONE-FOUND\n", "1 warning MESSAGE it's late, 1 none-found, so far"],
    ["FAILURE SERVER-FAILED disk' full'\n", "1 SERVER-FAILED disk full, so far"],
  ])("the client traces a summary of the directory reply %j", async (reply, expectedEvents) => {
    await using own = await startScriptedProsperoServer(createProsperoReplyHandler({ DIRECTORY: reply }));
    await using client = createClientForServers([own]);
    const events: string[] = [];
    const traceListener = ({ text }: TraceEvent): void => void events.push(text);
    const url = `prospero://127.0.0.1:${own.port}/x`;
    await client.dereference(url, { trace: traceListener }).then(readEntriesUntilFailure, () => undefined);
    expect(events).toContain(expectedEvents);
  });
});
